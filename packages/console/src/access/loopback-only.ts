import type { RequestHandler } from 'express'
import { isUnderLoopbackName } from '@pawl/base/pages/own-origin'
import { anybody } from './person.ts'
import type { Sessions } from './session.ts'

/** Without authentication: refuses requests to any host name but loopback, which a web page may send by DNS rebinding, and grants all others every right. */
export function createLoopbackOnly({ formTokenOf }: Pick<Sessions, 'formTokenOf'>): RequestHandler {
  return (req, res, next) => {
    if (!isUnderLoopbackName(req)) {
      res.status(403).json({ error: { code: 'forbidden', message: 'Use the address 127.0.0.1.' } })
      return
    }
    req.access = { person: anybody(), formToken: formTokenOf('loopback') }
    next()
  }
}
