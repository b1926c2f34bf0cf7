import { createDownload, DownloadFailed } from '@pawl/base/net/download'
import type { Resolve } from '@pawl/base/net/pin-address'
import { systemCodeOf } from '@pawl/base/errors'
import { isLoopbackAddress, isPublicAddress, isThisMachine } from '@pawl/base/net/public-address'
import { ApiError } from './api-errors.ts'
import type { CallOptions } from './request.ts'
import { type DownloadedFile, typedFile } from './typed-file.ts'

/** The request of a failed download; errors leave out its URL and name. */
const place = { method: 'GET', route: 'file' } as const

const [expired, unavailable] = ['file_expired', 'file_unavailable'] as const

/** Error codes that a new URL, from a new GET of the resource, may resolve. */
export const curedByNewAddress: ReadonlySet<string> = new Set([expired, unavailable])

/** 403, 404 or 410: the URL of the file has expired. A retry of the handler reads the resource again, with a new URL. */
export class FileExpired extends ApiError {
  readonly code = expired
  constructor(httpStatus: number | undefined) {
    super({ ...place, httpStatus }, 'its address has expired; read the resource for a new one', 'backoff')
  }
}

/** The download failed: no answer, a cut one, or a refusal. The file's host is not the service's API, which may be up. */
export class FileUnavailable extends ApiError {
  readonly code = unavailable
  /** A system code, `timeout`, `redirects`, `status`, or `coding`. */
  override readonly reason: string
  constructor(reason: string, httpStatus?: number) {
    const todo =
      reason === 'coding'
        ? 'its host compresses it otherwise than by gzip, deflate or br'
        : "check the network route to the file's host"
    super({ ...place, httpStatus }, `not downloaded (${reason}); ${todo}`, 'backoff')
    this.reason = reason
  }
}

/** The file exceeds `maxBytes`. */
export class FileTooLarge extends ApiError {
  readonly code = 'file_too_large'
  constructor(maxBytes: number) {
    super(place, `has more than ${maxBytes} bytes`, 'never')
  }
}

/** The URL, or one that it redirects to, is not allowed: not https, not on the public internet, or invalid. */
export class FileAddressRefused extends ApiError {
  readonly code = 'file_address_refused'
  constructor() {
    super(place, 'not downloaded; its address is neither https on the public internet nor the API itself', 'never')
  }
}

export interface DownloadFileOptions extends Pick<CallOptions, 'signal'> {
  /** Default 20 MiB. */
  maxBytes?: number | undefined
}

export interface FileCalls {
  /** Downloads a file from a URL in a resource, such as `details.url` of an activity, before it expires. Sends no API token and counts towards no rate limit. Throws `FileExpired`, `FileTooLarge`, `FileAddressRefused` and `FileUnavailable`. */
  downloadFile(url: string, options?: DownloadFileOptions): Promise<DownloadedFile>
}

const defaultMaxBytes = 20 * 1024 * 1024

/** Makes the call. It connects to https on the public internet, to the API's own origin, and to this machine if the API is on it too. */
export function createFileCalls(deps: { baseUrl: string; timeoutMs: number; resolve?: Resolve }): FileCalls {
  const { timeoutMs, resolve } = deps
  const api = new URL(deps.baseUrl)
  const isLocal = isThisMachine(api.hostname)
  const download = createDownload({
    mayConnect: (address, { origin, protocol }) =>
      origin === api.origin ||
      (isLocal && isLoopbackAddress(address)) ||
      (protocol === 'https:' && isPublicAddress(address)),
    ...(resolve && { resolve }),
  })

  return {
    async downloadFile(url, { maxBytes = defaultMaxBytes, signal } = {}) {
      signal?.throwIfAborted()
      const timeout = AbortSignal.timeout(timeoutMs)
      try {
        const options = { maxBytes, signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]) }
        const { content, contentType } = await download(url, options)
        return await typedFile(content, contentType)
      } catch (error) {
        signal?.throwIfAborted()
        throw timeout.aborted ? new FileUnavailable('timeout') : failureOf(error, maxBytes)
      }
    },
  }
}

/** Drops the error itself: system errors quote the host, and may quote the URL. */
function failureOf(error: unknown, maxBytes: number): ApiError {
  if (!(error instanceof DownloadFailed)) return new FileUnavailable(systemCodeOf(error) ?? 'network')
  const { fault, status } = error
  switch (fault) {
    case 'address':
      return new FileAddressRefused()
    case 'size':
      return new FileTooLarge(maxBytes)
    case 'redirects':
    case 'coding':
      return new FileUnavailable(fault)
    case 'status':
      return status === 403 || status === 404 || status === 410
        ? new FileExpired(status)
        : new FileUnavailable(fault, status)
  }
}
