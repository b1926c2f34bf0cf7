import { setTimeout as sleep } from 'node:timers/promises'
import type { Gateway } from '../../../src/gateway.ts'
import type { RunningService } from './test-service.ts'

export interface SettleDeps {
  gateway: Pick<Gateway, 'ledger' | 'inWork'>
  service: Pick<RunningService, 'moving'>
  handlerNames: readonly string[]
}

/** Milliseconds. Later retries wait for a jump of the clock. */
const soonMs = 2_000
const lookEveryMs = 10

/** Resolves once all work has settled; rejects after `timeoutMs` with a list of pending work. */
export async function settle(deps: SettleDeps, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  // Work in transit between two parts is briefly invisible, so look twice.
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
  if (due.length > 0) moving.push(`due: ${due.join(', ')}`)
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
