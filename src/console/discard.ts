import { type RequestHandler, Router } from 'express'
import type { Log } from '../base/log.ts'
import { readActor } from './actor.ts'
import { isKnownWork, type KnownWorkDeps } from './known-work.ts'
import { DiscardAsked, readAllWork, selectedBy } from './selected-work.ts'
import { inWork, whileInWork } from './while-in-work.ts'
import type { PieceOfWork } from '../ledger/views/work-filter.ts'
import { waitingErrors } from '../ledger/hot/waiting-errors.ts'
import type { FailedWork } from '../ledger/upkeep/create-failed-work.ts'

export interface DiscardDeps extends KnownWorkDeps {
  ledger: KnownWorkDeps['ledger'] & Pick<FailedWork, 'discard'>
  enqueue: (resourceId: string) => void
  log: Log
}

/** Pieces of work in one commit: few enough that nobody waits for it. */
const stepSize = 100

/** POST /api/parked/discard: has parked and failing work count as done, with a reason, selected as for a retry; 404 where a name is unknown. With dry_run it only says which. */
export function createDiscard({ enqueue, log, ...known }: DiscardDeps): Router {
  const { ledger } = known
  const discard: RequestHandler = async (req, res) => {
    const asked = DiscardAsked.safeParse(req.body)
    if (!asked.success) {
      const message =
        'Send a JSON object with reason, a text of 3 to 500 characters, and resource_id, handler, system, error or state, several of them, or all: true.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { reason, dry_run: dryRun } = asked.data
    const selected = selectedBy(asked.data)
    const { resourceId, handler, system, errorCode, state } = selected
    const isOne = resourceId !== undefined && handler !== undefined
    if (!isOne && !(await isKnownWork(selected, known, res))) return
    const isNamed = isOne || errorCode !== undefined || state !== undefined
    // Work that waits has not failed: only its own name, code or state selects it.
    const found = await readAllWork(ledger, { ...selected, exceptErrors: isNamed ? undefined : waitingErrors })
    const work = found.map(({ resourceId, handler }) => ({ resourceId, handler }))
    if (isOne && work.length === 0) {
      const message = 'Nothing of that handler is parked or failing for that resource: `pawl parked` lists what is.'
      res.status(404).json({ error: { code: 'nothing_to_discard', message } })
      return
    }
    if (dryRun) {
      res.json({ discarded: work, inWork: [] })
      return
    }
    const act = { actor: readActor(req), reason }
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
    if (isOne && left.length > 0) res.status(409).json({ error: inWork })
    else res.json({ discarded, inWork: left })
  }
  return Router().post('/api/parked/discard', discard)
}
