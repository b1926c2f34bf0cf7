import { type RequestHandler, Router } from 'express'
import type { z } from 'zod'
import { isKnownWork, type KnownWorkDeps } from './known-work.ts'
import { ListAsked, maxListed, selectedBy } from './selected-work.ts'
import { totalOf } from './failure-filter.ts'
import type { DueWork, Work } from '../ledger/views/read-work.ts'
import type { WorkFilter } from '../ledger/views/work-filter.ts'
import type { Views } from '../ledger/views/create-views.ts'

interface ListWorkDeps extends KnownWorkDeps {
  ledger: KnownWorkDeps['ledger'] & Pick<Views, 'dueWork'>
}

/** GET /api/parked and /api/due: parked work; and work that is due now or later, with why it failed where it did. 404 where the resource, the handler, the system or the error is unknown. */
export function createListWork(deps: ListWorkDeps): Router {
  const { ledger } = deps
  const list =
    (answer: (asked: z.infer<typeof ListAsked>) => Promise<object>): RequestHandler =>
    async (req, res) => {
      const asked = ListAsked.safeParse(req.query)
      if (!asked.success) {
        const message = `resource, handler, system and error are names; state is failing or waiting; limit is a number from 1 to ${maxListed}.`
        res.status(400).json({ error: { code: 'bad_request', message } })
      } else if (await isKnownWork(selectedBy(asked.data), deps, res)) res.json(await answer(asked.data))
    }
  const parked = list(async ({ limit = maxListed, ...asked }) => {
    const filter = { ...selectedBy(asked), state: 'parked' } as const
    const { rows, next } = await ledger.work(filter, limit)
    return { parked: rows, count: next === undefined ? rows.length : totalOf(await ledger.workGroups(filter)) }
  })
  const due = list(async ({ limit = 100, ...asked }) => {
    const { resourceId, ...filter } = selectedBy(asked)
    const isOfAll = Object.values(filter).every((each) => each === undefined)
    const due = isOfAll ? await ledger.dueWork(resourceId, limit) : await readFailed({ resourceId, ...filter }, limit)
    return { due, isAll: new Set(due.map((each) => each.resourceId)).size < limit }
  })

  /** What failed and is tried again, or waits. */
  async function readFailed({ state, ...filter }: WorkFilter, limit: number): Promise<DueWork[]> {
    const found: Work[] = []
    for (const each of state === undefined ? (['failing', 'waiting'] as const) : [state])
      if (found.length < limit)
        found.push(...(await ledger.work({ ...filter, state: each }, limit - found.length)).rows)
    return found.map(({ resourceId, kind, isClaimed, dueInMs = 0, handler, attempts, errorCode, errorMessage }) => {
      const failed = { handler, attempts, errorCode, errorMessage }
      return { resourceId, kind, dueInMs, isClaimed, failed }
    })
  }
  return Router().get('/api/parked', parked).get('/api/due', due)
}
