import { integrationOf } from '../integration-of.ts'
import { billingBy, putFound } from '../right/07-billing.ts'

/** Wrong: drops the error of a DELETE, so that the invoice of a withdrawn approval stays. */
export const integration = integrationOf(
  billingBy(putFound, (invoices, id) => invoices.remove(id).catch(() => undefined)),
)
