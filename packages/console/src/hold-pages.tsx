import { type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { type HoldName, workOf } from '@pawl/ledger/hot/holds'
import { readActor } from './actor.ts'
import { askedSince } from './asked-since.ts'
import { Reach } from './contract/status-verdict.ts'
import type { Syncing } from './sync-now.ts'
import { Reason, reasonLength } from './contract/reason.ts'
import { queryOf } from '@pawl/base/pages/query'
import { totalOf } from './failure-filter.ts'
import { allWork, type Holding, isSameHold } from './holding.ts'
import { addressOfHold, nameOfHold, stampOfHold } from './hold-names.ts'
import { HoldPage } from './pages/hold.tsx'
import { MessagePage } from './pages/message.tsx'
import { sendPage } from './render.tsx'
import type { HoldBook } from '@pawl/ledger/upkeep/create-hold-book'
import type { WorkViews } from '@pawl/ledger/views/read-work'

export interface HoldPagesDeps {
  ledger: Pick<HoldBook, 'holds'> & Pick<WorkViews, 'workGroups'>
  /** Number of due resources; `undefined` during the first count. */
  readDue: () => Promise<number | undefined>
  holding: Holding
  syncing: Pick<Syncing, 'reconcile'>
  /** Parses the forms of these pages. */
  requireOwnForm: RequestHandler
  now: () => number
}

/** Subject of a hold, in an address or a form. */
export const HoldTarget = z.object({
  kind: z.enum(['all', 'handler', 'system']),
  name: z.string().max(200).default(''),
})
const Shown = z.object({
  through: z.coerce.number().int().min(0).optional().catch(undefined),
  more: z.literal('yes').optional().catch(undefined),
})
const PauseForm = HoldTarget.extend({ stamp: z.string(), reason: Reason })
const ResumeForm = HoldTarget.extend({ stamp: z.string(), from: z.literal('/').optional() }).and(
  z.discriminatedUnion('do', [
    z.object({ do: z.literal('all'), reconcile: Reach.optional() }),
    z.object({ do: z.literal('some'), limit: z.coerce.number().int().min(1).max(99_999) }),
  ]),
)

/** Pages that pause a handler, a system or all work, and resume it in steps. */
export function createHoldPages({ ledger, readDue, holding, syncing, requireOwnForm, now }: HoldPagesDeps): Router {
  const router = Router()

  /** Current state of the handler, system or hold of a page; `undefined` if unknown. */
  async function find({ kind, name }: HoldName) {
    const holds = await ledger.holds()
    const hold = holds.find((each) => isSameHold(each, { kind, name }))
    // A paused handler or system may have been removed since.
    const isKnown = hold !== undefined || [allWork, ...holding.names].some((each) => isSameHold(each, { kind, name }))
    return isKnown ? { target: { kind, name }, hold, stamp: stampOfHold({ kind, name }, hold?.since) } : undefined
  }

  async function countWaiting({ kind, name }: HoldName): Promise<number | undefined> {
    if (kind === 'all') return readDue()
    return totalOf(await ledger.workGroups(workOf({ kind, name })))
  }

  router.get('/handlers/hold', async (req, res) => {
    const asked = HoldTarget.safeParse(req.query)
    const found = asked.success ? await find(asked.data) : undefined
    if (found === undefined) {
      const message = 'There is no such handler or system, and nothing of that name is paused.'
      sendPage(res, <MessagePage title="Not known" at="/handlers" message={message} />, 404)
      return
    }
    const { through, more } = Shown.parse(req.query)
    const waiting = found.hold && (await countWaiting(found.target))
    const letThrough = through === undefined ? undefined : { resources: through, more: more === 'yes' }
    sendPage(res, <HoldPage {...found} waiting={waiting} letThrough={letThrough} />)
  })

  /** The form, if its subject is unchanged since the page loaded; else the request is answered. */
  async function readForm<T extends HoldName & { stamp: string }>(
    form: z.ZodSafeParseResult<T>,
    send: (message: string, status: number) => void,
  ): Promise<T | undefined> {
    if (!form.success) {
      send(`Say why, in ${reasonLength}, or how many resources, from 1 to 99999.`, 400)
      return undefined
    }
    const found = await find(form.data)
    if (found?.stamp === form.data.stamp) return form.data
    const now = found?.hold === undefined ? 'not paused' : 'paused'
    send(`Changed since the page loaded: ${nameOfHold(form.data)} is ${now}. Look at it again.`, 409)
    return undefined
  }

  router.post('/handlers/pause', requireOwnForm, async (req, res) => {
    const form = await readForm(PauseForm.safeParse(req.body), (message, status) =>
      sendPage(res, <MessagePage title="Nothing was paused" at="/handlers" message={message} />, status),
    )
    if (form === undefined) return
    await holding.pause({ kind: form.kind, name: form.name }, { actor: readActor(req), reason: form.reason })
    res.redirect(303, addressOfHold(form))
  })

  router.post('/handlers/resume', requireOwnForm, async (req, res) => {
    const form = await readForm(ResumeForm.safeParse(req.body), (message, status) =>
      sendPage(res, <MessagePage title="Nothing was resumed" at="/handlers" message={message} />, status),
    )
    if (form === undefined) return
    const { kind, name, from } = form
    const limit = form.do === 'some' ? form.limit : undefined
    const { resourceIds, more } = await holding.resume({ kind, name }, limit, { actor: readActor(req) })
    const resumed = String(resourceIds.length)
    if (form.do === 'all' && form.reconcile !== undefined) {
      const asked = await syncing.reconcile(now() - askedSince[form.reconcile], readActor(req))
      return res.redirect(303, `/ask${queryOf({ reconciling: String(asked) })}`)
    }
    if (from !== undefined)
      return res.redirect(303, `${from}${queryOf({ kind, name, resumed, more: more ? 'yes' : undefined })}`)
    if (limit === undefined) return res.redirect(303, `/handlers${queryOf({ kind, name, resumed })}`)
    const through = { through: resumed, more: more ? 'yes' : undefined }
    res.redirect(303, `/handlers/hold${queryOf({ kind, name, ...through })}`)
  })
  return router
}
