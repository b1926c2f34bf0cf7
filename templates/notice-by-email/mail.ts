import { createHash } from 'node:crypto'
import { createTransport } from 'nodemailer'
import { notConfigured, type RunContext, smtpConnectionOf, type System, WriteFailed } from '#pawl/connector'
import type { MailSettings } from './mail-settings.ts'
import { refusalOf } from './mail-refusal.ts'

/** A text for staff, without patient data. */
export interface MailText {
  /** Unique within the resource: a mail that is sent again under one key has the same Message-ID. */
  key: string
  subject: string
  text: string
}

/** The port that handlers use as `mail`. */
export interface Mail {
  /** Sends a text to MAIL_TO; resolves when the server has taken it. Throws `WriteFailed`. */
  send(mail: MailText): Promise<void>
}

/** Options for tests. */
export interface MailOptions {
  /** Trusted certificate authorities, in place of the system's. */
  ca?: string
  /** Time limit of one mail, in milliseconds. Default 30,000. */
  timeoutMs?: number
}

const limits = { dnsTimeout: 5_000, connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 15_000 }

/** The mail server at MAIL_URL; without it, a sender or a receiver, notices park. */
export function mail(settings: MailSettings, { ca, timeoutMs = 30_000 }: MailOptions = {}): System<Mail> {
  const { MAIL_URL: url, MAIL_FROM: from, MAIL_TO: to, MAIL_PLAINTEXT: mayBePlain } = settings
  if (url === undefined) return notConfigured('MAIL_URL')
  if (from === undefined) return notConfigured('MAIL_FROM')
  if (to === undefined) return notConfigured('MAIL_TO')
  const transport = createTransport({
    ...smtpConnectionOf(url, mayBePlain),
    ...limits,
    ...(ca !== undefined && { tls: { ca } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = from.slice(from.lastIndexOf('@') + 1)

  async function send({ key, subject, text }: MailText, run: RunContext): Promise<void> {
    const hash = createHash('sha256')
      .update(JSON.stringify([run.resourceId, key]))
      .digest('hex')
      .slice(0, 32)
    const messageId = `<${hash}@${domain}>`
    const headers = { 'Auto-Submitted': 'auto-generated' }
    run.assertMayAct()
    const { answered } = run.beginRequest('send mail')
    const timeout = AbortSignal.timeout(Math.max(1, Math.min(timeoutMs, Math.floor(run.remainingMs()))))
    const signal = AbortSignal.any([timeout, run.signal])
    try {
      await transport.sendMail({ from, to, subject, text, messageId, headers, signal })
      answered()
    } catch (error) {
      const givenUp = { reason: 'the run was given up', retry: 'backoff', isOutage: false } as const
      const late = { reason: 'no answer in time', retry: 'backoff', isOutage: true } as const
      const failure = run.signal.aborted ? givenUp : timeout.aborted ? late : refusalOf(error)
      throw new WriteFailed({ system: 'mail server', what: 'notice', resourceId: run.resourceId, failure })
    }
    run.wrote({ type: 'Mail', id: messageId })
  }

  return {
    open: (run) => ({ send: (text) => send(text, run) }),
    async check() {
      try {
        await transport.verify()
        return { ok: true, findings: ['It answers, and takes the login.'] }
      } catch (error) {
        return { ok: false, findings: [`MAIL_URL: ${refusalOf(error).reason}.`] }
      }
    },
    close: async () => transport.close(),
  }
}
