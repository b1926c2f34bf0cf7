import { Router } from 'express'
import { z } from 'zod'
import { type PauseTarget, workOf } from '@pawl/ledger/hot/pause'
import type { Pauses } from '@pawl/ledger/upkeep/create-pauses'
import type { WorkViews } from '@pawl/ledger/views/read-work'
import { queryOf } from '@pawl/base/pages/query'
import { Reason, reasonLength } from './contract/reason.ts'
import { Reach } from './contract/status-verdict.ts'
import { totalOf } from './filtered-work.ts'
import { MessagePage } from './pages/message.tsx'
import { PausePage } from './pages/pause.tsx'
import { addressOfPause, nameOfTarget } from './pause-names.ts'
import { allWork, isSameTarget, PauseTargetQuery, type Pausing } from './pausing.ts'
import { startOf } from './ranges.ts'
import { sendPage } from './render.tsx'
import { refusal } from './serve.ts'
import { serveForm } from './serve-form.tsx'
import type { Syncing } from './sync-now.ts'

export interface PausePagesDeps {
  ledger: Pick<Pauses, 'pauses'> & Pick<WorkViews, 'workGroups'>
  /** Number of due resources; `undefined` until first counted. */
  readDue: () => Promise<number | undefined>
  pausing: Pausing
  syncing: Pick<Syncing, 'reconcile'>
  now: () => number
}

const PauseForm = PauseTargetQuery.extend({ reason: Reason })
const ResumeForm = PauseTargetQuery.extend({
  /** Start of the pause that the page showed: a later one stays. */
  since: z.coerce.number().int(),
  from: z.literal('/').optional(),
  reconcile: Reach.optional(),
})

/** Pages that pause a handler, a system or all work, and resume it. */
export function createPausePages({ ledger, readDue, pausing, syncing, now }: PausePagesDeps): Router {
  const router = Router()

  /** The target of a page, with its pause; `undefined` if unknown. */
  async function find(parsed: z.ZodSafeParseResult<PauseTarget>) {
    if (!parsed.success) return undefined
    const { kind, name } = parsed.data
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
    const found = await find(PauseTargetQuery.safeParse(req.query))
    if (found === undefined) {
      const message = 'There is no such handler or system, and nothing of that name is paused.'
      return sendPage(res, <MessagePage title="Not known" at="/handlers" message={message} />, 404)
    }
    sendPage(res, <PausePage {...found} waiting={found.pause && (await countWaiting(found.target))} />)
  })

  const refusedPause = { at: '/handlers', refused: 'Nothing was paused' } as const
  serveForm(router, '/handlers/pause', refusedPause, async ({ fields, actor }) => {
    const form = PauseForm.safeParse(fields)
    const found = await find(form)
    if (!form.success || found === undefined)
      throw refusal('bad_request', `Name a handler or a system, and give a reason of ${reasonLength}.`)
    await pausing.pause(found.target, { actor, reason: form.data.reason })
    return addressOfPause(found.target)
  })

  const refusedResume = { at: '/handlers', refused: 'Nothing was resumed' } as const
  serveForm(router, '/handlers/resume', refusedResume, async ({ fields, actor }) => {
    const form = ResumeForm.safeParse(fields)
    const found = await find(form)
    if (!form.success || found === undefined) throw refusal('bad_request', 'Open the page of that pause again.')
    const { target, pause } = found
    if (pause?.since !== form.data.since) {
      const state = pause === undefined ? 'not paused' : 'paused'
      throw refusal('changed', `Changed since the page loaded: ${nameOfTarget(target)} is ${state}. Look at it again.`)
    }
    const { from = '/handlers', reconcile } = form.data
    const resumed = await pausing.resume(target, { actor })
    if (reconcile === undefined) return `${from}${queryOf({ ...target, resumed: String(resumed) })}`
    const asked = await syncing.reconcile(startOf(reconcile, now()), actor)
    return `/ask${queryOf({ reconciling: String(asked) })}`
  })
  return router
}
