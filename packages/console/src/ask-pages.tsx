import { Router } from 'express'
import { z } from 'zod'
import type { CountViews } from '@pawl/ledger/views/counts'
import { queryOf } from '@pawl/base/pages/query'
import { namedLimit } from './contract/resource-contract.ts'
import { type Finding, Reach } from './contract/status-verdict.ts'
import { AskPage } from './pages/ask.tsx'
import { startOf } from './ranges.ts'
import { sendPage } from './render.tsx'
import { refusal } from './serve.ts'
import { serveForm } from './serve-form.tsx'
import type { Syncing } from './sync-now.ts'

export interface AskPagesDeps {
  ledger: Pick<CountViews, 'counts'>
  syncing: Syncing
  /** The verdict's finding about resources that pawl may have missed, if any. */
  readMissing: () => Promise<Finding | undefined>
  now: () => number
}

const Size = z.coerce.number().int().min(0).optional().catch(undefined)
const Rest = z.literal('none').optional().catch(undefined)
const Shown = z.object({
  reconciling: Size,
  synced: Size,
  cancelled: Size,
  since: Reach.optional().catch(undefined),
})
const Since = z.object({ since: Reach })
const Names = z.object({
  resources: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((each) => each !== ''))
    .pipe(z.array(z.string()).min(1).max(namedLimit)),
  /** `none`: no other resource is missing. */
  rest: Rest,
  reconciling: Size,
})

/** The page that reads from the service again: all resources that may have changed, or resources by id. */
export function createAskPages({ ledger, syncing, readMissing, now }: AskPagesDeps): Router {
  const router = Router()
  router.get('/ask', async (req, res) => {
    const { reconciling: total, ...shown } = Shown.parse(req.query)
    sendPage(
      res,
      <AskPage
        total={total}
        synced={shown.synced}
        cancelled={shown.cancelled}
        since={shown.since}
        missing={await readMissing()}
        counts={await ledger.counts()}
      />,
    )
  })
  const page = { at: '/ask', refused: 'Nothing was asked' } as const
  serveForm(router, '/ask/reconcile', page, async ({ fields, actor }) => {
    const form = Since.safeParse(fields).data
    if (form === undefined) return '/ask'
    const count = await syncing.reconcile(startOf(form.since, now()), actor)
    return `/ask${queryOf({ reconciling: String(count) })}`
  })
  serveForm(router, '/ask/none', page, async ({ actor }) => {
    await syncing.sync({ resources: [], complete: true }, actor)
    return '/?named=none'
  })
  serveForm(router, '/ask/cancel', page, async ({ actor }) => {
    const count = await syncing.cancel(actor)
    return `/ask${queryOf({ cancelled: String(count) })}`
  })
  serveForm(router, '/ask/sync', page, async ({ fields, actor }) => {
    const form = Names.safeParse(fields).data
    if (form === undefined) throw refusal('bad_request', `Name 1 to ${namedLimit} resources by their ids.`)
    const { resources, rest, reconciling } = form
    const count = await syncing.sync({ resources, complete: rest === 'none' }, actor)
    const named = { synced: String(count), reconciling: reconciling?.toString() }
    return rest === 'none' ? `/${queryOf({ named: named.synced })}` : `/ask${queryOf(named)}`
  })
  return router
}
