import { Router } from 'express'
import type { PieceOfWork } from '@pawl/ledger/hot/work-filter'
import { waitingErrors } from '@pawl/ledger/hot/waiting-errors'
import type { Log } from '@pawl/base/log'
import { contract } from './contract/contract.ts'
import { type KnownWorkDeps, requireKnownWork } from './known-work.ts'
import { readAllWork, selectedBy } from './selected-work.ts'
import { refusal, serve } from './serve.ts'
import { inWork, whileInWork } from './while-in-work.ts'
import type { FailedWork } from '@pawl/ledger/upkeep/create-failed-work'

export interface DiscardDeps extends KnownWorkDeps {
  ledger: KnownWorkDeps['ledger'] & Pick<FailedWork, 'discard'>
  enqueue: (resourceId: string) => void
  log: Log
}

/** Pieces of work per commit: few enough not to delay other writers. */
const stepSize = 100

/** Counts parked and failing work as done, for a reason. */
export function createDiscard({ enqueue, log, ...known }: DiscardDeps): Router {
  const { ledger } = known
  const router = Router()
  serve(router, contract.discard, async ({ body, actor }) => {
    const selected = selectedBy(body)
    const { resourceId, handler, system, errorCode, state } = selected
    const isOne = resourceId !== undefined && handler !== undefined
    if (!isOne) await requireKnownWork(selected, known)
    const isNamed = isOne || errorCode !== undefined || state !== undefined
    // Waiting work has not failed: only its own name, code or state selects it.
    const found = await readAllWork(ledger, { ...selected, exceptErrors: isNamed ? undefined : waitingErrors })
    const work = found.map(({ resourceId, handler }) => ({ resourceId, handler }))
    if (isOne && work.length === 0) {
      const message = 'Nothing of that handler is parked or failing for that resource: `pawl parked` lists parked work.'
      throw refusal('nothing_to_discard', message)
    }
    if (body.dry_run) return { discarded: work, inWork: [] }
    const act = { actor, reason: body.reason }
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
  })
  return router
}
