import { defineHandler } from '../../../../../../src/index.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { integrationOf } from '../integration-of.ts'
import { type Hook, hook } from '../right/03-hook.ts'

/** Wrong: tells the hook in a loop that awaits nothing. */
export const integration = integrationOf({
  ...hook,
  handlers: [
    defineHandler({
      name: 'events-to-hook',
      on: ['prior_authorization.status_change'],
      async handle(context) {
        // The compiler cannot see which systems the integration lists.
        const port = listedSystem(context, 'hook') as Hook
        const told = [context.resource].map(async (resource) => port.tell(resource).catch(() => undefined))
        context.log.info({ count: told.length }, 'told the hook')
      },
    }),
  ],
})
