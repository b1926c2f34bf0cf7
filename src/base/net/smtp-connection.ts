/** How the mail server at an address is reached, for nodemailer. `smtps:` is TLS from the start. `smtp:` begins in the clear and must change to TLS before anything is sent, unless the server is on this machine or `mayBePlain` allows it. */
export function smtpConnectionOf(address: string, mayBePlain = false) {
  const { protocol, hostname, port, username, password } = new URL(address)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const secure = protocol === 'smtps:'
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host)
  return {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !isLocal && !mayBePlain,
    // What a server on this machine shows is often no certificate that anybody signed, and nobody listens between.
    ignoreTLS: !secure && isLocal,
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
  }
}
