import { type RequestHandler, Router } from 'express'
import { heldErrors, type Ledger, type PieceOfWork } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'
import { readActor } from './actor.ts'
import { isKnownWork } from './known-work.ts'
import { DiscardAsked, selectedBy } from './selected-work.ts'
import { inWork, whileInWork } from './while-in-work.ts'

export interface DiscardDeps {
  ledger: Pick<Ledger, 'discard' | 'openWork' | 'openErrors' | 'resource' | 'withoutHandler'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  enqueue: (resourceId: string) => void
  log: Log
}

/** Pieces of work in one commit: few enough that nobody waits for it. */
const stepSize = 100

/** What only waits, for a system or for whoever paused it, has not failed: it is given up where it is named alone. */
const waitErrors = [...Object.values(heldErrors), 'system_down', 'refusal_unconfirmed']

/** POST /api/parked/discard: has parked and failing work count as done, with a reason, selected as for a retry; 404 where a name is unknown. With dry_run it only says which. */
export function createDiscard({ ledger, handlerNames, enqueue, log }: DiscardDeps): Router {
  const discard: RequestHandler = async (req, res) => {
    const asked = DiscardAsked.safeParse(req.body)
    if (!asked.success) {
      const message =
        'Send a JSON object with reason, a text of 3 to 500 characters, and resource_id, handler or error, several of them, or all: true.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { reason, dry_run: dryRun } = asked.data
    const selected = selectedBy(asked.data)
    const { resourceId, handler, errorCode } = selected
    const isOne = resourceId !== undefined && handler !== undefined
    // That of a handler that there is no more, too: nobody else does anything about it.
    const gone = (await ledger.withoutHandler(handlerNames)).map((each) => each.handler)
    const known = { ledger, handlerNames: [...handlerNames, ...gone] }
    if (!isOne && !(await isKnownWork(selected, known, res))) return
    const isNamed = isOne || errorCode !== undefined
    const work = await ledger.openWork({ ...selected, exceptErrors: isNamed ? undefined : waitErrors })
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
    log.info({ count: discarded.length, resource_id: resourceId, handler, code: errorCode }, 'work discarded')
    if (isOne && left.length > 0) res.status(409).json({ error: inWork })
    else res.json({ discarded, inWork: left })
  }
  return Router().post('/api/parked/discard', discard)
}
