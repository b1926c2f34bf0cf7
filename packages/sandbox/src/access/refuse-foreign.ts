import { isIP } from 'node:net'
import type { RequestHandler } from 'express'
import { isFromOwnOrigin, isUnderLoopbackName } from '@pawl/base/pages/own-origin'
import { codedRefusal } from '../platform/refusal.ts'

/** Protects the controls and pages, which need no token, from foreign pages in a browser. Refuses a request under a foreign host name (DNS rebinding), and a changing request from another origin. Other clients may do everything. The sandbox's own names are loopback names, addresses, names without a dot (as containers have) and `names`. */
export function refuseForeign({ names }: { names: ReadonlySet<string> }): RequestHandler {
  return (req, _res, next) => {
    const { hostname } = req
    const isOwnName = isUnderLoopbackName(req) || isAddressOrPlain(hostname) || names.has(hostname)
    if (!isOwnName) throw forbidden(`The sandbox does not answer as ${hostname}; allow that name with --host-name.`)
    const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(req.method)
    if (!isRead && !isFromOwnOrigin(req)) throw forbidden('The request comes from a page of another origin.')
    next()
  }
}

/** DNS rebinding cannot use such names. */
function isAddressOrPlain(hostname: string): boolean {
  return isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0 || !hostname.includes('.')
}

function forbidden(description: string) {
  return codedRefusal(403, { title: 'Refused', description, code: 'forbidden' })
}
