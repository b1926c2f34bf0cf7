import { z } from 'zod'

/** The settings of the connector. */
export const mailSettings = {
  MAIL_URL: z
    .url({ protocol: /^smtps?$/ })
    .refine((url) => URL.canParse(url) && new URL(url).search === '', 'takes no options after a ?')
    .optional()
    .describe('the mail server'),
  MAIL_FROM: z.email().optional().describe('who sends'),
  MAIL_TO: z.email().optional().describe('who is told'),
  MAIL_PLAINTEXT: z.stringbool().default(false).describe('whether mail may travel unencrypted'),
}

/** Their values. */
export interface MailSettings {
  MAIL_URL?: string | undefined
  MAIL_FROM?: string | undefined
  MAIL_TO?: string | undefined
  MAIL_PLAINTEXT: boolean
}

/** How the server is reached. `smtps:` is TLS from the start. `smtp:` begins in the clear and must change to TLS before anything is sent, unless the server is on this machine or `MAIL_PLAINTEXT` allows it. */
export function connectionOf(address: string, mayBePlain: boolean) {
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
