import { timingSafeEqual } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import { isFromOwnOrigin } from '../../base/pages/own-origin.ts'

/** Refuses what a page from elsewhere has a browser send to change something. `publicUrl` is the address that people use, where a proxy changes it on the way. */
export function createSameOriginOnly(publicUrl: string | undefined): RequestHandler {
  return (req, res, next) => {
    if (['GET', 'HEAD', 'OPTIONS'].includes(req.method) || isFromOwnOrigin(req, publicUrl)) return next()
    const message = 'The request comes from a page of another origin.'
    res.status(403).json({ error: { code: 'forbidden', message } })
  }
}

/** Whether a form carries the token of who sends it, and the browser says that it comes from here. */
export function isOwnForm(req: Request): boolean {
  // As the form parser leaves it.
  const given: unknown = (req.body as Record<string, unknown> | undefined)?.token
  const isFromBrowser = (req.get('sec-fetch-site') ?? req.get('origin')) !== undefined
  return isFromBrowser && typeof given === 'string' && isEqual(given, req.access?.formToken ?? '')
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
