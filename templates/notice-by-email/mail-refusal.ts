import type { WriteFailure } from '#pawl/connector'

/** The verdict on an error of a mail server or of the network; quotes codes only. */
export function refusalOf(error: unknown): WriteFailure['failure'] {
  const { code = '', responseCode = 0 } = (error instanceof Error ? error : {}) as Coded
  const away = { retry: 'backoff', isOutage: true } as const
  // An operator fixes credentials and certificates; the mail itself is fine.
  if (code === 'EAUTH') return { ...away, reason: `the login was refused (${responseCode})` }
  if (code === 'ETLS') return { ...away, reason: 'the server did not change to TLS, so nothing was sent' }
  if (responseCode === 421) return { ...away, reason: 'the server is going away (421)' }
  if (responseCode >= 400 && responseCode < 500)
    return { reason: `refused for now (${responseCode})`, retry: 'backoff', isOutage: false }
  // All mail shares sender and receiver, but not the text.
  if (responseCode >= 500)
    return { reason: `refused (${responseCode})`, retry: 'never', isOutage: false, mayBeOutage: code !== 'EMESSAGE' }
  return { ...away, reason: code === '' ? 'no connection' : `no connection (${code})` }
}

/** Fields of errors from nodemailer and from Node's sockets. */
interface Coded {
  code?: string
  responseCode?: number
}
