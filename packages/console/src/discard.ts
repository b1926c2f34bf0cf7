import type { z } from 'zod'
import type { Log } from '@pawl/base/log'
import type { Actor } from '@pawl/ledger/audit/audit-entry'
import type { PieceOfWork } from '@pawl/ledger/hot/work-filter'
import { waitingErrors } from '@pawl/ledger/hot/waiting-errors'
import type { FailedWork } from '@pawl/ledger/upkeep/create-failed-work'
import type { contract } from './contract/contract.ts'
import { type KnownWorkDeps, readAllWork, selectedBy, selectKnown } from './filtered-work.ts'
import { refusal } from './serve.ts'
import { inWork, whileInWork } from './while-in-work.ts'

export interface DiscardDeps extends KnownWorkDeps {
  ledger: KnownWorkDeps['ledger'] & Pick<FailedWork, 'discard'>
  enqueue: (resourceId: string) => void
  log: Log
}

type DiscardRoute = typeof contract.discard

/** Counts parked and failing work as done, for a reason. Throws `RequestRefused`. */
export type Discard = (asked: z.output<DiscardRoute['body']>, actor: Actor) => Promise<z.output<DiscardRoute['answer']>>

/** Pieces of work per commit: few enough not to delay other writers. */
const stepSize = 100

export function createDiscard({ enqueue, log, ...known }: DiscardDeps): Discard {
  const { ledger } = known
  return async ({ reason, dry_run: isDryRun, up_to: failedUpTo, ...filter }, actor) => {
    const isOne = filter.resource !== undefined && filter.handler !== undefined
    const selected = isOne ? selectedBy(filter) : await selectKnown(filter, known)
    const { resourceId, handler, system, errorCode, state } = selected
    const isNamed = isOne || errorCode !== undefined || state !== undefined
    // Waiting work has not failed: only its own name, code or state selects it.
    const exceptErrors = isNamed ? undefined : waitingErrors
    const work = await readAllWork(ledger, { ...selected, failedUpTo, exceptErrors })
    if (isOne && work.length === 0) {
      const message = 'Nothing of that handler is parked or failing for that resource: `pawl parked` lists parked work.'
      throw refusal('nothing_to_discard', message)
    }
    if (isDryRun) return { discarded: work, inWork: [] }
    const act = { actor, reason }
    const discarded: PieceOfWork[] = []
    const stillInWork: PieceOfWork[] = []
    for (let from = 0; from < work.length; from += stepSize) {
      const step = work.slice(from, from + stepSize)
      const results = await ledger.discard(step, act)
      discarded.push(...step.filter((_, at) => results[at] === 'discarded'))
      stillInWork.push(...step.filter((_, at) => results[at] === 'in_work'))
    }
    const waited = await Promise.all(
      stillInWork.map((piece) => whileInWork(async () => (await ledger.discard([piece], act))[0])),
    )
    const left = stillInWork.filter((_, at) => waited[at] === 'in_work')
    discarded.push(...stillInWork.filter((_, at) => waited[at] === 'discarded'))
    for (const piece of discarded) enqueue(piece.resourceId)
    log.info({ count: discarded.length, resource_id: resourceId, handler, system, code: errorCode }, 'work discarded')
    if (isOne && left.length > 0) throw refusal('in_work', inWork)
    return { discarded, inWork: left }
  }
}
