import { defineHandler } from '../../../../../../src/index.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { contentOf, integrationOf } from '../integration-of.ts'
import { type Table, table } from '../right/04-table.ts'

/** A day as the table's people write it. */
function dayOf(text: string): string {
  const at = new Date(text)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

/** Wrong: reads a day as a moment in Greenwich, and writes it as the local one. */
export const integration = integrationOf({
  ...table,
  handlers: [
    defineHandler({
      name: 'decision-to-table',
      on: ['prior_authorization.status_change'],
      handle(context) {
        const row = contentOf(context.resource)
        const valid_until = row.valid_until === null ? null : dayOf(row.valid_until)
        // The compiler cannot see which systems the integration lists.
        return (listedSystem(context, 'table') as Table).putRow({ ...row, valid_until })
      },
    }),
  ],
})
