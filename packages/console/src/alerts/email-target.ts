import { systemCodeOf } from '@pawl/base/errors'
import { smtpConnectionOf } from '@pawl/base/net/smtp-connection'
import { type AlertTarget, sendTimeoutMs } from './target.ts'

/** Milliseconds; together below the limit of one message. */
const limits = { dnsTimeout: 3_000, connectionTimeout: 3_000, greetingTimeout: 3_000, socketTimeout: 9_000 }

/** A target that gets plain text by mail, through the package `nodemailer`. */
export async function createEmailTarget({
  to,
  from,
  smtpUrl,
}: {
  to: readonly string[]
  from: string
  smtpUrl: string
}): Promise<AlertTarget> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    ...smtpConnectionOf(smtpUrl),
    ...limits,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = from.slice(from.lastIndexOf('@') + 1)
  return {
    name: 'email',
    async send({ id, subject, text }) {
      const signal = AbortSignal.timeout(sendTimeoutMs)
      const headers = { 'Auto-Submitted': 'auto-generated' }
      const messageId = `<${id}@${domain}>`
      try {
        await transport.sendMail({ from, to: [...to], subject, text, messageId, headers, signal })
        return { ok: true, said: 'taken' }
      } catch (error) {
        return { ok: false, code: signal.aborted ? 'timeout' : codeOf(error) }
      }
    },
    close: () => transport.close(),
  }
}

/** The server's code, else the system code of the connection; never its text. */
function codeOf(error: unknown): string {
  const isCoded = error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
  return isCoded ? `smtp_${String(error.responseCode)}` : (systemCodeOf(error) ?? 'no_connection')
}
