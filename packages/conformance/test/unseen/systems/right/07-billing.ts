import { z } from 'zod'
import { defineHandler, isApproved } from '../../../../../../src/index.ts'
import { createOneAtATime, type RunContext, type System } from '../../../../../../src/connector.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { asking, integrationOf, type OwnSystem } from '../integration-of.ts'

const Invoice = z.object({ id: z.string() })

export interface Billing {
  putInvoice(lastDay: string): Promise<void>
  removeInvoice(): Promise<void>
}

/** The requests of one run to the billing system, which takes no key. */
export function invoicesOf(run: RunContext, url: string) {
  const ask = asking(`${url}/invoices`, { system: 'billing', what: 'invoice' })
  return {
    async find() {
      const found = await ask(run, 'GET', `?reference=${run.resourceId}`)
      return z.array(Invoice).parse(JSON.parse(found))[0]?.id
    },
    async post(lastDay: string) {
      const posted = await ask(run, 'POST', '', { reference: run.resourceId, last_day: lastDay })
      return Invoice.parse(JSON.parse(posted)).id
    },
    patch: (id: string, lastDay: string) => ask(run, 'PATCH', `/${id}`, { last_day: lastDay }),
    remove: (id: string) => ask(run, 'DELETE', `/${id}`),
  }
}

export type Invoices = ReturnType<typeof invoicesOf>

/** Puts the last day of an approval into an invoice. */
export type PutInvoice = (run: RunContext, invoices: Invoices, lastDay: string) => Promise<void>

export const putFound: PutInvoice = async (run, invoices, lastDay) => {
  const digest = run.digest(lastDay)
  const known = await run.memory.read('invoice')
  if (known?.digest === digest) return
  let id = known?.id ?? (await invoices.find())
  if (id === undefined) id = await invoices.post(lastDay)
  else {
    await run.memory.write('invoice', { id })
    await invoices.patch(id, lastDay)
  }
  await run.memory.write('invoice', { id, digest })
}

/** Deletes an invoice. */
export type RemoveInvoice = (invoices: Invoices, id: string) => Promise<unknown>

const removeFound: RemoveInvoice = (invoices, id) => invoices.remove(id)

/** An invoice for each approval, gone when it is withdrawn. */
export function billingAt(url: string, put: PutInvoice, remove: RemoveInvoice): System<Billing> {
  const inTurn = createOneAtATime()
  return {
    open: (run) => ({
      putInvoice: (lastDay) => inTurn(run.resourceId, () => put(run, invoicesOf(run, url), lastDay)),
      removeInvoice: () =>
        inTurn(run.resourceId, async () => {
          const invoices = invoicesOf(run, url)
          const id = (await run.memory.read('invoice'))?.id ?? (await invoices.find())
          if (id === undefined) return
          await run.memory.forget('invoice')
          await remove(invoices, id)
        }),
    }),
  }
}

/** The billing system, with these ways to put and to delete an invoice. */
export const billingBy = (put: PutInvoice, remove = removeFound): OwnSystem => ({
  name: 'billing',
  setting: 'BILLING_URL',
  systemAt: (url) => billingAt(url, put, remove),
  handlers: [
    defineHandler({
      name: 'invoice-to-billing',
      on: ['prior_authorization.status_change'],
      async handle(context) {
        const { status, outcome } = context.resource
        // The compiler cannot see which systems the integration lists.
        const port = listedSystem(context, 'billing') as Billing
        const lastDay = outcome?.authorization_expiration
        if (status === 'completed' && isApproved(outcome) && lastDay !== undefined) await port.putInvoice(lastDay)
        else await port.removeInvoice()
      },
    }),
  ],
})

export const billing = billingBy(putFound)

/** Odd: an invoice while the approval lasts, without an idempotency key and without receipts. */
export const integration = integrationOf(billing)
