import { defineHandler } from '../../../../../../src/index.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { integrationOf } from '../integration-of.ts'
import { type Register, register } from '../right/02-register.ts'

/** Wrong: writes an ended PA once for each result, so a last day that moves never arrives. */
export const integration = integrationOf({
  ...register,
  handlers: [
    defineHandler({
      name: 'record-to-register',
      on: ['prior_authorization.status_change'],
      async handle(context) {
        const { resource, once } = context
        // The compiler cannot see which systems the integration lists.
        const put = () => (listedSystem(context, 'register') as Register).putRecord(resource)
        if (resource.status !== 'completed') return put()
        await once(`completed/${resource.outcome?.result}`, put)
      },
    }),
  ],
})
