import type { Request } from 'express'
import { isThisMachine } from '../net/public-address.ts'

/** Whether a request was sent to a loopback name. Another name may come from a web page that uses DNS rebinding. */
export function isUnderLoopbackName({ hostname }: Pick<Request, 'hostname'>): boolean {
  return isThisMachine(hostname)
}

/** Whether a request comes from a page of this origin, or from a client other than a browser. Browsers state the origin in `Sec-Fetch-Site`, or in `Origin` on an insecure connection. `publicUrl`: the address that people use, if a proxy changes it. */
export function isFromOwnOrigin(req: Request, publicUrl?: string): boolean {
  const site = req.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const origin = req.get('origin')
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  const { host } = new URL(origin)
  return host === req.get('host') || (publicUrl !== undefined && host === new URL(publicUrl).host)
}
