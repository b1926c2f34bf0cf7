import { z } from 'zod'
import { defineHandler, isApproved } from '../../../../../../src/index.ts'
import {
  createOneAtATime,
  exchange,
  leanFetch,
  type RunContext,
  type System,
  systemClock,
  WriteFailed,
} from '../../../../../../src/connector.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { integrationOf, type OwnSystem } from '../integration-of.ts'

const http = { fetch: leanFetch, clock: systemClock, timeoutMs: 5_000 }
const headers = { 'content-type': 'application/json' }
const Invoice = z.object({ id: z.string() })

export interface Billing {
  putInvoice(lastDay: string): Promise<void>
  removeInvoice(): Promise<void>
}

/** The requests of one run to the billing system, which takes no key. */
export function invoicesOf(run: RunContext, url: string) {
  async function ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) {
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const answer = await exchange(http, run, `${url}/invoices${path}`, request)
    if (answer.ok || (method === 'DELETE' && answer.status === 404)) return answer.text
    throw new WriteFailed({ system: 'billing', what: 'invoice', resourceId: run.resourceId, failure: answer })
  }
  return {
    async find() {
      const found = await ask('GET', `?reference=${run.resourceId}`)
      return z.array(Invoice).parse(JSON.parse(found))[0]?.id
    },
    async post(lastDay: string) {
      const posted = await ask('POST', '', { reference: run.resourceId, last_day: lastDay })
      return Invoice.parse(JSON.parse(posted)).id
    },
    patch: (id: string, lastDay: string) => ask('PATCH', `/${id}`, { last_day: lastDay }),
    remove: (id: string) => ask('DELETE', `/${id}`),
  }
}

export type Invoices = ReturnType<typeof invoicesOf>

/** Puts the last day of an approval into an invoice. */
export type PutInvoice = (run: RunContext, invoices: Invoices, lastDay: string) => Promise<void>

const putFound: PutInvoice = async (run, invoices, lastDay) => {
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

/** An invoice for each approval, gone when it is withdrawn. */
export function billingAt(url: string, put: PutInvoice): System<Billing> {
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
          await invoices.remove(id)
        }),
    }),
  }
}

/** The billing system, with this way to put an invoice. */
export const billingBy = (put: PutInvoice): OwnSystem => ({
  name: 'billing',
  setting: 'BILLING_URL',
  systemAt: (url) => billingAt(url, put),
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
