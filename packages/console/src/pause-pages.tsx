import { type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import { type PauseTarget, workOf } from '@pawl/ledger/hot/pause'
import type { Pauses } from '@pawl/ledger/upkeep/create-pauses'
import type { WorkViews } from '@pawl/ledger/views/read-work'
import { queryOf } from '@pawl/base/pages/query'
import { readActor } from './actor.ts'
import { askedSince } from './asked-since.ts'
import { Reason, reasonLength } from './contract/reason.ts'
import { Reach } from './contract/status-verdict.ts'
import { totalOf } from './filtered-work.ts'
import { MessagePage } from './pages/message.tsx'
import { PausePage } from './pages/pause.tsx'
import { addressOfPause, nameOfTarget } from './pause-names.ts'
import { allWork, isSameTarget, type Pausing } from './pausing.ts'
import { sendPage } from './render.tsx'
import type { Syncing } from './sync-now.ts'

export interface PausePagesDeps {
  ledger: Pick<Pauses, 'pauses'> & Pick<WorkViews, 'workGroups'>
  /** Number of due resources; `undefined` during the first count. */
  readDue: () => Promise<number | undefined>
  pausing: Pausing
  syncing: Pick<Syncing, 'reconcile'>
  /** Parses the forms of these pages. */
  requireOwnForm: RequestHandler
  now: () => number
}

/** Target of a pause, in an address or a form. */
export const AskedTarget = z.object({
  kind: z.enum(['all', 'handler', 'system']),
  name: z.string().max(200).default(''),
})
const PauseForm = AskedTarget.extend({ reason: Reason })
const ResumeForm = AskedTarget.extend({
  /** Of the pause that is meant: a later one stays. */
  since: z.coerce.number().int(),
  from: z.literal('/').optional(),
  reconcile: Reach.optional(),
})

/** Pages that pause a handler, a system or all work, and resume it. */
export function createPausePages({ ledger, readDue, pausing, syncing, requireOwnForm, now }: PausePagesDeps): Router {
  const router = Router()

  /** The handler, system or all work of a page, with its pause; `undefined` if unknown. */
  async function find(asked: z.ZodSafeParseResult<PauseTarget>) {
    if (!asked.success) return undefined
    const { kind, name } = asked.data
    const target = { kind, name }
    const pause = (await ledger.pauses()).find((each) => isSameTarget(each, target))
    // A paused handler or system may have been removed since.
    const isKnown = pause !== undefined || [allWork, ...pausing.targets].some((each) => isSameTarget(each, target))
    return isKnown ? { target, pause } : undefined
  }

  async function countWaiting(target: PauseTarget): Promise<number | undefined> {
    if (target.kind === 'all') return readDue()
    return totalOf(await ledger.workGroups(workOf(target)))
  }

  router.get('/handlers/pause', async (req, res) => {
    const found = await find(AskedTarget.safeParse(req.query))
    if (found === undefined) {
      const message = 'There is no such handler or system, and nothing of that name is paused.'
      return refuse(res, 'Not known', message, 404)
    }
    sendPage(res, <PausePage {...found} waiting={found.pause && (await countWaiting(found.target))} />)
  })

  router.post('/handlers/pause', requireOwnForm, async (req, res) => {
    const form = PauseForm.safeParse(req.body)
    const found = await find(form)
    if (!form.success || found === undefined)
      return refuse(res, 'Nothing was paused', `Name a handler or a system, and say why, in ${reasonLength}.`, 400)
    await pausing.pause(found.target, { actor: readActor(req), reason: form.data.reason })
    res.redirect(303, addressOfPause(found.target))
  })

  router.post('/handlers/resume', requireOwnForm, async (req, res) => {
    const form = ResumeForm.safeParse(req.body)
    const found = await find(form)
    if (!form.success || found === undefined)
      return refuse(res, 'Nothing was resumed', 'Open the page of that pause again.', 400)
    const { target, pause } = found
    if (pause?.since !== form.data.since) {
      const state = pause === undefined ? 'not paused' : 'paused'
      const message = `Changed since the page loaded: ${nameOfTarget(target)} is ${state}. Look at it again.`
      return refuse(res, 'Nothing was resumed', message, 409)
    }
    const { from = '/handlers', reconcile } = form.data
    const resumed = await pausing.resume(target, { actor: readActor(req) })
    if (reconcile !== undefined) {
      const asked = await syncing.reconcile(now() - askedSince[reconcile], readActor(req))
      return res.redirect(303, `/ask${queryOf({ reconciling: String(asked) })}`)
    }
    res.redirect(303, `${from}${queryOf({ ...target, resumed: String(resumed) })}`)
  })
  return router
}

function refuse(res: Response, title: string, message: string, status: number): void {
  sendPage(res, <MessagePage title={title} at="/handlers" message={message} />, status)
}
