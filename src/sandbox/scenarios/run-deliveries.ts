import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { dataOf } from './call-sandbox.ts'
import type { RunContext } from './run-step.ts'

/** A delivery that a run caused. */
export interface RunDelivery {
  id: number
  /** The name of the resource in the scenario; of an outreach attempt the PA's with the channel. */
  resource: string
  event_type: string
  state: string
  attempts: number
}

/** How long a receiver may keep a run from going on, in milliseconds; its deliveries are retried all the same. */
const patienceMs = 3_000

const Deliveries = z.array(
  z.object({
    id: z.number(),
    event_type: z.string(),
    state: z.string(),
    attempts: z.array(z.unknown()),
  }),
)

const Listening = z.array(z.object({ enabled: z.boolean().optional() }))

/** Whether the organization has a webhook that deliveries go to. */
export async function listens({ call, organization }: RunContext): Promise<boolean> {
  const path = `/_sandbox/organizations/${encodeURIComponent(organization)}/webhooks`
  return Listening.parse(dataOf(await call('GET', path))).some(({ enabled }) => enabled !== false)
}

/** Every delivery about what the run created, oldest first. */
export async function deliveriesOf({ call, ids }: RunContext): Promise<RunDelivery[]> {
  const found: RunDelivery[] = []
  for (const [resource, id] of ids) {
    if (resource === 'run') continue
    const listed = Deliveries.parse(dataOf(await call('GET', `/_sandbox/deliveries?resource_id=${id}&limit=1000`)))
    for (const { id: number, event_type, state, attempts } of listed)
      found.push({ id: number, resource, event_type, state, attempts: attempts.length })
  }
  return found.toSorted((one, other) => one.id - other.id)
}

/** Waits until each delivery was attempted once, so that those of the next step arrive after them. */
export async function untilAttempted(context: RunContext): Promise<void> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const deliveries = await deliveriesOf(context)
    if (deliveries.every(({ attempts }) => attempts > 0) || Date.now() > deadline) return
    await sleep(10)
  }
}
