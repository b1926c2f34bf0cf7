import type { Request } from 'express'

const loopbackNames = ['127.0.0.1', 'localhost', '::1', '[::1]']

/** Whether a request was sent to a name of loopback. One under another name may be of a web page whose name was made to lead here (DNS rebinding). */
export function isUnderLoopbackName({ hostname }: Pick<Request, 'hostname'>): boolean {
  return loopbackNames.includes(hostname)
}

/** Whether no page from elsewhere had a browser send the request. A browser says where it comes from (`Sec-Fetch-Site`, or `Origin` where the connection is not secure); who says nothing is no browser. `publicUrl` is the address that people use, where a proxy changes it on the way. */
export function isFromOwnOrigin(req: Request, publicUrl?: string): boolean {
  const site = req.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const origin = req.get('origin')
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  const { host } = new URL(origin)
  return host === req.get('host') || (publicUrl !== undefined && host === new URL(publicUrl).host)
}
