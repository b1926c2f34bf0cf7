import { timingSafeEqual } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import { isFromOwnOrigin } from '@pawl/base/pages/own-origin'

/** Refuses cross-site requests that change state. `publicUrl` is the public address, if a proxy rewrites it. */
export function createSameOriginOnly(publicUrl: string | undefined): RequestHandler {
  return (req, res, next) => {
    if (['GET', 'HEAD', 'OPTIONS'].includes(req.method) || isFromOwnOrigin(req, publicUrl)) return next()
    const message = 'The request comes from a page of another origin.'
    res.status(403).json({ error: { code: 'forbidden', message } })
  }
}

/** Whether a form carries its sender's token, and the browser reports the same origin. */
export function isOwnForm(req: Request): boolean {
  // Form bodies arrive as parsed objects.
  const given: unknown = (req.body as Record<string, unknown> | undefined)?.token
  const isFromBrowser = (req.get('sec-fetch-site') ?? req.get('origin')) !== undefined
  return isFromBrowser && typeof given === 'string' && isEqual(given, req.access?.formToken ?? '')
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
