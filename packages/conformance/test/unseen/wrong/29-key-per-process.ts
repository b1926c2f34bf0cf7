import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { defineHandler, defineIntegration, type Given, isApproved } from '../../../../../src/index.ts'
import { ehrFrom, ehrSettings } from '@pawl/ehr'
import { pharmacyFrom, pharmacySettings } from '@pawl/pharmacy'
import {
  exchange,
  leanFetch,
  notConfigured,
  type System,
  systemClock,
  WriteFailed,
} from '../../../../../src/connector.ts'
import { listedSystem } from '../../../../../templates/listed-system.ts'
import { shippedHandlers } from '../../../../../templates/index.ts'

const ownSettings = {
  ...ehrSettings,
  ...pharmacySettings,
  BILLING_URL: z.url().optional().describe('where approvals are invoiced'),
}
const http = { fetch: leanFetch, clock: systemClock, timeoutMs: 5_000 }
const sender = randomUUID()

interface Billing {
  invoice(): Promise<void>
}

function billingAt(url: string | undefined): System<Billing> {
  if (url === undefined) return notConfigured('BILLING_URL')
  return {
    open: (run) => ({
      async invoice() {
        if ((await run.memory.read('invoice')) !== undefined) return
        // A retry with the same key gets the same invoice.
        const headers = { 'content-type': 'application/json', 'idempotency-key': `${sender}/${run.resourceId}` }
        const body = JSON.stringify({ reference: run.resourceId })
        const answer = await exchange(http, run, `${url}/invoices`, { method: 'POST', headers, body })
        if (!answer.ok)
          throw new WriteFailed({ system: 'billing', what: 'invoice', resourceId: run.resourceId, failure: answer })
        await run.memory.write('invoice', { id: run.resourceId })
        run.wrote({ type: 'Invoice', id: run.resourceId })
      },
    }),
  }
}

const invoiceApprovals = defineHandler({
  name: 'invoice-approvals',
  on: ['prior_authorization.status_change'],
  async handle(context) {
    if (context.resource.status !== 'completed' || !isApproved(context.resource.outcome)) return
    // The compiler cannot see the systems that this integration lists.
    await (listedSystem(context, 'billing') as Billing).invoice()
  },
})

/** Wrong: the idempotency key begins with an id of the process, so a retry after a crash creates a second invoice. */
export const integration = defineIntegration({
  settings: ownSettings,
  systems: ({ settings }: Given<typeof ownSettings>) => ({
    ehr: ehrFrom(settings),
    pharmacy: pharmacyFrom(settings),
    billing: billingAt(settings.BILLING_URL),
  }),
  handlers: [...shippedHandlers, invoiceApprovals],
})
