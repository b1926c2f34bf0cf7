import { type RequestHandler, Router } from 'express'
import { z } from 'zod'
import type { CountViews } from '@pawl/ledger/views/counts'
import { readActor } from './actor.ts'
import { namedLimit } from './contract/resource-contract.ts'
import { queryOf } from '@pawl/base/pages/query'
import { askedSince } from './asked-since.ts'
import { type Finding, Reach } from './contract/status-verdict.ts'
import { AskPage } from './pages/ask.tsx'
import { MessagePage } from './pages/message.tsx'
import { sendPage } from './render.tsx'
import { RequestRefused } from './serve.ts'
import type { Syncing } from './sync-now.ts'

export interface AskPagesDeps {
  ledger: Pick<CountViews, 'counts'>
  syncing: Syncing
  /** What the verdict says of cases that pawl cannot know, if some may be missing. */
  readMissing: () => Promise<Finding | undefined>
  /** Parses the forms of these pages. */
  requireOwnForm: RequestHandler
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

/** The page that asks the service anew: for all that may have changed, or for resources by name. */
export function createAskPages({ ledger, syncing, readMissing, requireOwnForm, now }: AskPagesDeps): Router {
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
  router.post('/ask/reconcile', requireOwnForm, async (req, res) => {
    const form = Since.safeParse(req.body)
    if (!form.success) return res.redirect(303, '/ask')
    const count = await syncing.reconcile(now() - askedSince[form.data.since], readActor(req))
    res.redirect(303, `/ask${queryOf({ reconciling: String(count) })}`)
  })
  router.post('/ask/none', requireOwnForm, async (req, res) => {
    await syncing.sync({ resources: [], complete: true }, readActor(req))
    res.redirect(303, '/?named=none')
  })
  router.post('/ask/cancel', requireOwnForm, async (req, res) => {
    const count = await syncing.cancel(readActor(req))
    res.redirect(303, `/ask${queryOf({ cancelled: String(count) })}`)
  })
  router.post('/ask/sync', requireOwnForm, async (req, res) => {
    const refuse = (message: string) =>
      sendPage(res, <MessagePage title="Nothing was asked" at="/ask" message={message} />, 400)
    const form = Names.safeParse(req.body)
    if (!form.success) return refuse(`Name 1 to ${namedLimit} resources by their ids.`)
    try {
      const { resources, rest, reconciling } = form.data
      const count = await syncing.sync({ resources, complete: rest === 'none' }, readActor(req))
      const named = { synced: String(count), reconciling: reconciling?.toString() }
      res.redirect(303, rest === 'none' ? `/${queryOf({ named: named.synced })}` : `/ask${queryOf(named)}`)
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error
      refuse(error.message)
    }
  })
  return router
}
