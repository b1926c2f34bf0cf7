import { defineHandler, isApproved } from '../../../../../../src/index.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { integrationOf } from '../integration-of.ts'
import { type Board, board } from '../right/01-board.ts'

/** Wrong: opens a case for each approval, and leaves it when the payer denies the PA after all. */
export const integration = integrationOf({
  ...board,
  handlers: [
    defineHandler({
      name: 'approval-to-board',
      on: ['prior_authorization.status_change'],
      async handle(context) {
        const { resource } = context
        if (resource.status !== 'completed' || !isApproved(resource.outcome)) return
        // The compiler cannot see which systems the integration lists.
        await (listedSystem(context, 'board') as Board).putCase(resource)
      },
    }),
  ],
})
