import { setTimeout as sleep } from 'node:timers/promises'
import type { Gateway } from '../gateway.ts'
import type { RunningService } from './test-service.ts'

/** What is waited for. */
export interface SettleDeps {
  gateway: Pick<Gateway, 'ledger' | 'inWork'>
  service: Pick<RunningService, 'moving'>
  handlerNames: readonly string[]
}

/** Retries that are further away are left to a jump of the clock, in milliseconds. */
const soonMs = 2_000
const lookEveryMs = 10

/** Resolves once nothing moves any more; rejects after `timeoutMs` with what still does. */
export async function settle(deps: SettleDeps, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  // What goes from hand to hand is nowhere to be seen for a moment.
  for (let quiet = 0; quiet < 2; await sleep(lookEveryMs)) {
    const moving = await look(deps)
    quiet = moving.length === 0 ? quiet + 1 : 0
    if (quiet === 0 && performance.now() > deadline)
      throw new Error(
        `This did not settle within ${timeoutMs} ms: ${[...moving, ...(await failing(deps))].join('; ')}.`,
      )
  }
}

async function look({ gateway: { ledger, inWork }, service }: SettleDeps): Promise<string[]> {
  const moving = [...service.moving()]
  const due = await ledger.due(3)
  const nextInMs = await ledger.nextDueIn()
  const { toPoll } = await ledger.counts()
  if (due.length > 0) moving.push(`waiting for their turn: ${due.join(', ')}`)
  if (inWork() > 0) moving.push(`resources in work: ${inWork()}`)
  else if (due.length === 0 && nextInMs !== undefined && nextInMs < soonMs)
    moving.push(`the next retry is due in ${Math.max(0, Math.ceil(nextInMs))} ms`)
  if (toPoll > 0) moving.push(`resources to be polled: ${toPoll}`)
  return moving
}

async function failing({ gateway: { ledger }, handlerNames }: SettleDeps): Promise<string[]> {
  return (await ledger.longestFailing(handlerNames)).map(
    ({ handler, resourceId, attempts, errorCode, errorMessage }) =>
      `${handler} failed ${attempts} times at ${resourceId} (${errorCode}: ${errorMessage})`,
  )
}
