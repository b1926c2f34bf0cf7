import { get as getHttp, type IncomingMessage } from 'node:http'
import { get as getHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { type MayConnect, pinAddress, type Resolve } from './pin-address.ts'
import { readBodyBytes } from './read-body-bytes.ts'
import { BodyRefused } from './read-bounded.ts'

export interface Downloaded {
  content: Buffer
  /** As stated by the host. */
  contentType: string | undefined
}

/** Why the download failed: a forbidden URL, too many redirects, a status other than 200, too many bytes, or an unknown content coding. */
export type DownloadFault = 'address' | 'redirects' | 'status' | BodyRefused['fault']

/** The download failed. Names neither URL nor file. */
export class DownloadFailed extends Error {
  readonly fault: DownloadFault
  /** Status of the answer, if any. */
  readonly status: number | undefined
  constructor(fault: DownloadFault, message: string, status?: number) {
    super(message)
    this.fault = fault
    this.status = status
  }
}

/** Fetches a file from an untrusted URL. Throws `DownloadFailed`, the reason of an aborted signal, or a system error unless the whole file was read. */
export type Download = (url: string, options: { maxBytes: number; signal: AbortSignal }) => Promise<Downloaded>

const redirects: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308])
const maxRedirects = 3

/**
 * Creates a downloader that connects only where `mayConnect` allows. A name is resolved once and the connection goes to the
 * checked address, which defeats DNS rebinding. Each redirect is checked in the same way.
 */
export function createDownload(deps: { mayConnect: MayConnect; resolve?: Resolve }): Download {
  async function exchange(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
    const lookup = await pinAddress(url, deps)
    signal.throwIfAborted()
    if (lookup === undefined) throw new DownloadFailed('address', 'the host is not on the public internet')
    return request(url, signal, lookup)
  }

  async function follow(
    url: URL,
    options: { maxBytes: number; signal: AbortSignal },
    redirectsLeft: number,
  ): Promise<Downloaded> {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new DownloadFailed('address', 'the URL is neither http nor https')
    const answer = await exchange(url, options.signal)
    const { statusCode, headers } = answer
    if (redirects.has(statusCode) && headers.location !== undefined) {
      answer.destroy()
      if (redirectsLeft === 0) throw new DownloadFailed('redirects', 'the host redirects too often')
      return follow(parse(headers.location, url), options, redirectsLeft - 1)
    }
    if (statusCode === 200)
      return { content: await readFile(answer, options.maxBytes), contentType: headers['content-type'] }
    answer.destroy()
    throw new DownloadFailed('status', `the host answers ${statusCode}`, statusCode)
  }

  return async (url, options) => follow(parse(url), options, maxRedirects)
}

/** The platform's own error would quote the URL. */
function parse(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href)) throw new DownloadFailed('address', 'the URL is invalid')
  return new URL(address, base)
}

/** The name stays in the Host header and the TLS handshake; only the address is fixed. */
function request(url: URL, signal: AbortSignal, lookup: LookupFunction) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const get = url.protocol === 'https:' ? getHttps : getHttp
    // A pooled connection could lead to an address checked for another name.
    get(url, { lookup, signal, agent: false }, resolve).on('error', reject)
  })
}

async function readFile(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  try {
    return await readBodyBytes(answer, answer.headers['content-encoding'], maxBytes)
  } catch (error) {
    throw error instanceof BodyRefused ? new DownloadFailed(error.fault, `the file ${error.message}`) : error
  }
}
