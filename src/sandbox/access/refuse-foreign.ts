import { isIP } from 'node:net'
import type { RequestHandler } from 'express'
import { isFromOwnOrigin, isUnderLoopbackName } from '../../base/pages/own-origin.ts'
import { codedRefusal } from '../platform/refusal.ts'

/**
 * Refuses what a page from elsewhere has a browser ask of the controls and pages, which need no token: a request under a name that is not the
 * sandbox's own (DNS rebinding), and one that changes something and does not come from a page of the sandbox. Who is no browser may do everything.
 * The sandbox's own names are those of loopback, addresses, names without a dot, as containers have, and `names`.
 */
export function refuseForeign({ names }: { names: ReadonlySet<string> }): RequestHandler {
  return (req, _res, next) => {
    const { hostname } = req
    const isOwnName = isUnderLoopbackName(req) || isAddressOrPlain(hostname) || names.has(hostname)
    if (!isOwnName) throw forbidden(`The sandbox is not known as ${hostname}; --host-name would say that it is.`)
    const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(req.method)
    if (!isRead && !isFromOwnOrigin(req)) throw forbidden('The request comes from a page of another origin.')
    next()
  }
}

/** Nobody else can have such a name lead here. */
function isAddressOrPlain(hostname: string): boolean {
  return isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0 || !hostname.includes('.')
}

function forbidden(description: string) {
  return codedRefusal(403, { title: 'Refused', description, code: 'forbidden' })
}
