import { integrationOf } from '../integration-of.ts'
import { billingBy } from '../right/07-billing.ts'

/** Wrong: does not await its requests after the search. */
export const integration = integrationOf(
  billingBy(async (run, invoices, lastDay) => {
    const digest = run.digest(lastDay)
    const known = await run.memory.read('invoice')
    if (known?.digest === digest) return
    const id = known?.id ?? (await invoices.find())
    if (id === undefined)
      void invoices.post(lastDay).then((posted) => run.memory.write('invoice', { id: posted, digest }))
    else void invoices.patch(id, lastDay).then(() => run.memory.write('invoice', { id, digest }))
  }),
)
