import { Router } from 'express'
import { z } from 'zod'
import { amendmentIn, amendmentRole } from '@pawl/base/amendment'
import type { Away } from '@pawl/ledger/away'
import type { Memories } from '@pawl/ledger/hot/memory'
import { hasKey } from '@pawl/ledger/hot/work-filter'
import type { Work, WorkViews } from '@pawl/ledger/views/read-work'
import type { WorkGroup } from '@pawl/ledger/views/work-group'
import { queryOf } from '@pawl/base/pages/query'
import type { Alerts } from './alerts/alerts.ts'
import { contract } from './contract/contract.ts'
import { readCursor, writeCursor } from './contract/cursor.ts'
import { State, WorkFilter } from './contract/filter.ts'
import type { Discard } from './discard.ts'
import { selectedBy } from './filtered-work.ts'
import { ParkedPage } from './pages/parked.tsx'
import { addressOfResource } from './pages/words.ts'
import { sendPage } from './render.tsx'
import type { AmendFaultOf, Retry } from './retrying.ts'
import { invalid } from './serve.ts'
import { type SentForm, serveForm } from './serve-form.tsx'

export interface ParkedPagesDeps {
  ledger: Pick<WorkViews, 'workGroups' | 'work'> & Pick<Memories, 'readMemory'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  amendFaultOf: AmendFaultOf
  retry: Retry
  discard: Discard
  readAway: () => readonly Away[]
  alerts: Pick<Alerts, 'last'>
  now: () => number
}

/** Pieces of work on one page. */
const pageSize = 50

const Cursor = z.object({
  state: State,
  handler: z.string(),
  system: z.string(),
  errorCode: z.string(),
  failureId: z.int(),
  resourceId: z.string(),
})

const Size = z.coerce.number().int().min(0).optional().catch(undefined)
/** Result of the previous form. */
const Done = z.object({ retried: Size, left: Size, discarded: Size })

/** Pages of failed and parked work by cause, with forms that retry or discard the matching work. */
export function createParkedPages(deps: ParkedPagesDeps): Router {
  const { ledger, handlerNames, amendFaultOf, retry, discard, readAway, alerts, now } = deps

  /** The resource with its amendment, if some of its work failed at a system that amends records. */
  async function readAmendable(resource: string | undefined, work: readonly Work[]) {
    const system = work.map((each) => each.system).find((each) => amendFaultOf(each) !== undefined)
    if (resource === undefined || system === undefined) return undefined
    const memory = await ledger.readMemory(system, resource)
    return { resource, amendment: amendmentIn(memory.get(amendmentRole)) }
  }

  const router = Router()

  router.get('/parked', async (req, res) => {
    // An invalid filter shows all work.
    const given = Object.fromEntries(Object.entries(req.query).filter(([, value]) => value !== ''))
    const filter = WorkFilter.catch({}).parse(given)
    const all = await ledger.workGroups()
    const selected = selectedBy(filter)
    const { rows, next } = await ledger.work(selected, pageSize, readCursor(Cursor, req.query.after))
    const matching =
      filter.resource === undefined ? all.filter((group) => hasKey(selected, group)) : rows.map(groupOfOne)
    sendPage(
      res,
      <ParkedPage
        filter={filter}
        all={all}
        matching={matching}
        retriable={matching.filter(({ handler }) => handlerNames.includes(handler))}
        work={rows}
        amendable={await readAmendable(filter.resource, rows)}
        done={Done.parse(req.query)}
        next={next && `/parked${queryOf({ ...filter, after: writeCursor(Cursor.parse(next)) })}`}
        absence={{ away: readAway(), alerts: alerts.last().open }}
        now={now()}
      />,
    )
  })

  serveForm(router, '/parked/retry', { at: '/parked', refused: 'Nothing was retried' }, async ({ fields, actor }) => {
    const form = contract.retry.body.safeParse(bodyOf(fields)).data
    if (form === undefined) throw invalid(contract.retry)
    const { retried, left } = await retry(form, actor)
    if (form.resource !== undefined) return `${addressOfResource(form.resource)}?retried=yes`
    return `/parked${queryOf({ ...WorkFilter.parse(form), retried: String(retried), left: String(left) })}`
  })

  serveForm(
    router,
    '/parked/discard',
    { at: '/parked', refused: 'Nothing was discarded' },
    async ({ fields, actor }) => {
      const form = contract.discard.body.safeParse(bodyOf(fields)).data
      if (form === undefined) throw invalid(contract.discard)
      const { discarded, inWork } = await discard(form, actor)
      const done = { discarded: String(discarded.length), left: String(inWork.length) }
      return `/parked${queryOf({ ...WorkFilter.parse(form), ...done })}`
    },
  )
  return router
}

/** The body of the API route; a form without a filter selects all work. */
function bodyOf({ limit, up_to, amend, without, document_type, ...fields }: SentForm['fields']): object {
  const isOfAll = !Object.keys(WorkFilter.shape).some((name) => Object.hasOwn(fields, name))
  return {
    ...fields,
    ...(isOfAll && { all: true }),
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(up_to !== undefined && { up_to: Number(up_to) }),
    ...(amend !== undefined && { amend: { without: wordsOf(without), document_type } }),
  }
}

/** Words, separated by commas or spaces. */
function wordsOf(field: unknown): string[] {
  return typeof field === 'string' ? field.split(/[\s,]+/).filter((word) => word !== '') : []
}

function groupOfOne({ state, handler, system, errorCode, failureId, failedAt, errorMessage }: Work): WorkGroup {
  const times = { newest: failureId, newestAt: failedAt, oldestAt: failedAt }
  return { state, handler, system, errorCode, count: 1, cases: 1, ...times, message: errorMessage }
}
