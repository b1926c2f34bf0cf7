import type { WriteFailure } from '#pawl/connector'

/** The verdict on what a mail server or the way to it said; quotes codes and none of its words. */
export function refusalOf(error: unknown): WriteFailure['failure'] {
  const { code = '', responseCode = 0 } = (error instanceof Error ? error : {}) as Coded
  const away = { retry: 'backoff', isOutage: true } as const
  // Credentials and certificates are mended by an operator: nothing is wrong with the mail.
  if (code === 'EAUTH') return { ...away, reason: `the login was refused (${responseCode})` }
  if (code === 'ETLS') return { ...away, reason: 'the server did not change to TLS, so nothing was sent' }
  if (responseCode === 421) return { ...away, reason: 'the server is going away (421)' }
  if (responseCode >= 400 && responseCode < 500)
    return { reason: `refused for now (${responseCode})`, retry: 'backoff', isOutage: false }
  // Sender and receiver are those of all mail; the text is not.
  if (responseCode >= 500)
    return { reason: `refused (${responseCode})`, retry: 'never', isOutage: false, mayBeOutage: code !== 'EMESSAGE' }
  return { ...away, reason: code === '' ? 'no connection' : `no connection (${code})` }
}

/** What nodemailer puts on its errors, and Node on those of sockets. */
interface Coded {
  code?: string
  responseCode?: number
}
