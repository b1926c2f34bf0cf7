import { defineHandler } from '../../../../../../src/index.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { integrationOf } from '../integration-of.ts'
import { type Mail, mail } from '../right/06-mail.ts'

/** Wrong: mails whenever it runs for a completed PA. */
export const integration = integrationOf({
  ...mail,
  handlers: [
    defineHandler({
      name: 'mail-of-ends',
      on: ['prior_authorization.status_change', 'prior_authorization.message'],
      async handle(context) {
        const { id, status, outcome } = context.resource
        if (status !== 'completed') return
        const text = `The result is ${outcome?.result}.`
        // The compiler cannot see which systems the integration lists.
        await (listedSystem(context, 'mail') as Mail).send({ subject: `${id} is ${status}`, text })
      },
    }),
  ],
})
