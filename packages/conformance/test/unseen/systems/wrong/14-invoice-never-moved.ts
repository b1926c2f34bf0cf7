import { integrationOf } from '../integration-of.ts'
import { billingBy } from '../right/07-billing.ts'

/** Wrong: leaves an invoice that exists with the last day of its first approval. */
export const integration = integrationOf(
  billingBy(async (run, invoices, lastDay) => {
    if ((await run.memory.read('invoice')) !== undefined) return
    const id = (await invoices.find()) ?? (await invoices.post(lastDay))
    await run.memory.write('invoice', { id })
  }),
)
