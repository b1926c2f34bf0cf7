import { createTransport } from 'nodemailer'
import { isTerminal } from 'pawl-client/schemas/kinds'
import { defineHandler } from '../../../../../../src/index.ts'
import { smtpConnectionOf, type System } from '../../../../../../src/connector.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { integrationOf, type OwnSystem } from '../integration-of.ts'

export interface Mail {
  send(mail: { subject: string; text: string }): Promise<void>
}

/** Mails of ids and results to the team. */
export const mailAt = (address: string): System<Mail> => ({
  open: (run) => ({
    async send(mail) {
      run.assertMayAct()
      const { answered } = run.beginRequest('send mail')
      const transport = createTransport(smtpConnectionOf(address))
      const { messageId } = await transport.sendMail({
        from: 'pawl@clinic.example',
        to: 'team@clinic.example',
        ...mail,
      })
      transport.close()
      answered()
      run.wrote({ type: 'Mail', id: messageId })
    },
  }),
})

export const mail: OwnSystem = {
  name: 'mail',
  setting: 'MAIL_URL',
  systemAt: mailAt,
  handlers: [
    defineHandler({
      name: 'mail-of-ends',
      on: ['prior_authorization.status_change'],
      async handle(context) {
        const { resource, once } = context
        const { id, status, outcome } = resource
        if (!isTerminal('prior_authorization', status)) return
        const result = outcome?.result ?? 'none'
        const until = outcome?.authorization_expiration
        const text = until === undefined ? `The result is ${result}.` : `The result is ${result}, until ${until}.`
        // The compiler cannot see which systems the integration lists.
        const port = listedSystem(context, 'mail') as Mail
        await once(`mail/${status}/${result}/${until ?? 'always'}`, () =>
          port.send({ subject: `${id} is ${status}`, text }),
        )
      },
    }),
  ],
}

/** Odd: mail, which has no keys; a correction is a mail of its own. */
export const integration = integrationOf(mail)
