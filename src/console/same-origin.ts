import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Request } from 'express'

/** Tells requests of the console's own pages from those that other pages have a browser send. */
export interface FormGuard {
  /** Stands in every form; another process has another. */
  token: string
  /** Whether a request comes from a form of this process's pages. */
  isOwn(this: void, req: Request): boolean
}

/** Makes the guard: a browser says where a request comes from (`Sec-Fetch-Site`, or `Origin` where the connection is not secure), and only the pages know the token. */
export function createFormGuard(): FormGuard {
  const token = randomBytes(32).toString('base64url')
  return {
    token,
    isOwn(req) {
      // As the form parser leaves it.
      const given: unknown = (req.body as Record<string, unknown> | undefined)?.token
      return isSameOrigin(req) && typeof given === 'string' && isEqual(given, token)
    },
  }
}

function isSameOrigin(req: Request): boolean {
  const site = req.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const origin = req.get('origin')
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === req.get('host')
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
