import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { isAddressField } from 'pawl-client/schemas/same-state'
import type { SandboxClock } from '../platform/sandbox-clock.ts'
import { type Files, filesPath } from './served-file.ts'

/** Lifetime of a file URL in milliseconds, by both sandbox and wall-clock time, so a URL stays usable at high speed. */
const fileLifeMs = 15 * 60_000

/** The files of all resources, under signed URLs that work for a while without an API token. */
export interface SignedFiles {
  /** Copies a resource through JSON, with newly signed absolute file URLs. `base`: the sandbox's URL, by default the one of the last request. */
  sign<T>(resource: T, base?: string): T
  /** Sets the default base URL. */
  servedAt(base: string): void
  /** Sets the default base URL from each request. */
  note: RequestHandler
  /** Serves the files. */
  routes: Router
}

/** Base URL at which a request reached the sandbox. */
export function baseOf(req: Request): string {
  return `${req.protocol}://${req.get('host') ?? ''}`
}

/** Signs with a random key, so no URL outlives this sandbox. */
export function createSignedFiles(deps: {
  clock: Pick<SandboxClock, 'now' | 'speed'>
  files: Pick<Files, 'at'>
}): SignedFiles {
  const { clock, files } = deps
  const key = randomBytes(32)
  let lastBase = 'http://127.0.0.1:4000'

  const signatureOf = (address: string) => createHmac('sha256', key).update(address).digest('hex')

  function signed(path: string, base: string): string {
    const address = `${path}${path.includes('?') ? '&' : '?'}expires=${clock.now() + Math.ceil(fileLifeMs * Math.max(1, clock.speed()))}`
    return `${base}${address}${signatureMark}${signatureOf(address)}`
  }

  const routes = Router()
  routes.get(/^\/files\//, (req, res) => {
    const [address = '', signature = ''] = req.originalUrl.split(signatureMark)
    if (!isSame(signature, signatureOf(address)))
      return refuse(res, 'SignatureDoesNotMatch', 'The signature does not match.')
    const url = new URL(address, lastBase)
    if (clock.now() >= Number(url.searchParams.get('expires')))
      return refuse(res, 'AccessDenied', 'Request has expired.')
    const { name, contentType, content } = files.at(url)
    res.attachment(name).set('content-type', contentType).send(content)
  })

  return {
    sign: (resource, base = lastBase) => withAddresses(resource, (path) => signed(path, base)),
    servedAt: (base) => void (lastBase = base),
    note: (req, _res, next) => {
      lastBase = baseOf(req)
      next()
    },
    routes,
  }
}

/** Copies a resource through JSON, replacing the path of each file by a URL. */
export function withAddresses<T>(resource: T, addressOf: (path: string) => string): T {
  const show = (field: string, value: unknown) =>
    isAddressField(field) && typeof value === 'string' && value.startsWith(filesPath) ? addressOf(value) : value
  // The compiler cannot see that resources are JSON, with one string replaced by another.
  return JSON.parse(JSON.stringify(resource, show)) as T
}

const signatureMark = '&signature='

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Answers like storage behind presigned URLs. */
function refuse(res: Response, code: string, message: string): void {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>\n`
  res.status(403).type('application/xml').send(body)
}
