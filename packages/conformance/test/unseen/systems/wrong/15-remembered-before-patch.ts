import { integrationOf } from '../integration-of.ts'
import { billingBy } from '../right/07-billing.ts'

/** Wrong: remembers the last day before it patches, so that a lost PATCH is never sent again. */
export const integration = integrationOf(
  billingBy(async (run, invoices, lastDay) => {
    const digest = run.digest(lastDay)
    const known = await run.memory.read('invoice')
    if (known?.digest === digest) return
    const id = known?.id ?? (await invoices.find()) ?? (await invoices.post(lastDay))
    await run.memory.write('invoice', { id, digest })
    if (known !== undefined) await invoices.patch(id, lastDay)
  }),
)
