import { isThisMachine } from './public-address.ts'

/** nodemailer's connection options for the mail server at an address. `smtps:` uses TLS from the start. `smtp:` must switch to TLS before anything is sent, unless the server is on this machine or `mayBePlain` is set. */
export function smtpConnectionOf(address: string, mayBePlain = false) {
  const { protocol, hostname, port, username, password } = new URL(address)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const secure = protocol === 'smtps:'
  const isLocal = isThisMachine(hostname)
  return {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !isLocal && !mayBePlain,
    // A local server often has a self-signed certificate, and its traffic cannot be intercepted.
    ignoreTLS: !secure && isLocal,
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
  }
}
