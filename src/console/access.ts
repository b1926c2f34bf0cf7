import { createHash, timingSafeEqual } from 'node:crypto'
import type { RequestHandler } from 'express'

/** Refuses requests under a name that is not loopback's: without a password the listener is on loopback, and such a name means that a web page reached it through the browser (DNS rebinding). */
export const requireLoopbackName: RequestHandler = (req, res, next) => {
  if (['127.0.0.1', 'localhost', '::1', '[::1]'].includes(req.hostname)) next()
  else res.status(403).json({ error: { code: 'forbidden', message: 'Use the address 127.0.0.1.' } })
}

/** Refuses requests without this password (HTTP Basic, any user name). */
export function requirePassword(password: string): RequestHandler {
  const expected = digest(password)
  return (req, res, next) => {
    const [scheme, credentials = ''] = (req.get('authorization') ?? '').split(' ', 2)
    const given = Buffer.from(credentials, 'base64').toString('utf8')
    const isRight = timingSafeEqual(digest(given.slice(given.indexOf(':') + 1)), expected)
    if (scheme?.toLowerCase() === 'basic' && isRight) next()
    else
      res
        .status(401)
        .set('www-authenticate', 'Basic realm="pawl"')
        .json({ error: { code: 'unauthorized', message: 'Send the password of ADMIN_PASSWORD (HTTP Basic).' } })
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
