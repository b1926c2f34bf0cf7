import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { dataOf } from './call-sandbox.ts'
import type { RunContext } from './run-step.ts'

/** A delivery caused by a run. */
export interface RunDelivery {
  id: number
  /** Name of the resource in the scenario; for an outreach attempt, the PA's with the channel. */
  resource: string
  event_type: string
  state: string
  attempts: number
  /** Status of the last attempt, or its error. */
  answer: string
}

/** How long a run waits for a receiver, in milliseconds; retries continue regardless. */
const patienceMs = 3_000

const Deliveries = z.array(
  z.object({
    id: z.number(),
    event_type: z.string(),
    state: z.string(),
    attempts: z.array(z.object({ status: z.number().optional(), error: z.string().optional() })),
  }),
)

const Listening = z.array(z.object({ enabled: z.boolean().optional() }))

/** Whether the organization has an enabled webhook. */
export async function listens({ call, organization }: RunContext): Promise<boolean> {
  const path = `/_sandbox/organizations/${encodeURIComponent(organization)}/webhooks`
  return Listening.parse(dataOf(await call('GET', path))).some(({ enabled }) => enabled !== false)
}

/** All deliveries about the run's resources, oldest first. */
export async function deliveriesOf({ call, ids }: RunContext): Promise<RunDelivery[]> {
  const found: RunDelivery[] = []
  for (const [resource, id] of ids) {
    if (resource === 'run') continue
    const listed = Deliveries.parse(dataOf(await call('GET', `/_sandbox/deliveries?resource_id=${id}&limit=1000`)))
    for (const { id: number, event_type, state, attempts } of listed) {
      const { status, error } = attempts.at(-1) ?? {}
      const answer = String(status ?? error ?? 'none yet')
      found.push({ id: number, resource, event_type, state, attempts: attempts.length, answer })
    }
  }
  return found.toSorted((one, other) => one.id - other.id)
}

/** Waits for the first attempt of each delivery, so the next step's deliveries arrive later. */
export async function untilAttempted(context: RunContext): Promise<void> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const deliveries = await deliveriesOf(context)
    if (deliveries.every(({ attempts }) => attempts > 0) || Date.now() > deadline) return
    await sleep(10)
  }
}
