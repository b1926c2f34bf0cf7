import type { Ledger } from '../../../ledger/src/ledger.ts'
import { aDelivery } from '../../../ledger/test/a-delivery.ts'

/** One piece of work that failed: parked, or with a number of attempts and tried again in an hour. */
export interface FailedWork {
  id: string
  handler?: string
  errorCode: string
  attempts?: number
  /** The one that it failed at. */
  system?: string
  isParked?: boolean
  /** When it failed. */
  at?: number
}

/** Leaves the work of a resource failed in the ledger, as a worker does. */
export async function failWork(ledger: Ledger, work: FailedWork): Promise<void> {
  const { id, handler = 'chart', errorCode, attempts = 1, isParked = false, system, at = Date.now() } = work
  await ledger.accept(aDelivery({ resourceId: id, body: { id, name: 'Testa Sample', attempts, errorCode } }))
  const claim = await ledger.claim(id, 60_000, { prior_authorization: [handler] })
  if (claim === undefined) throw new Error(`${id} could not be claimed`)
  const run = { handler, startedAt: at, finishedAt: at, firstEventId: 1, lastEventId: 1, writes: [] }
  const error = { code: errorCode, message: 'It said no.', system }
  const delayMs = isParked ? undefined : 3_600_000
  await ledger.release(claim, {
    notes: [{ of: 'failure', run: { ...run, error, attempts, delayMs } }],
    dueInMs: delayMs,
    restMs: 0,
  })
}
