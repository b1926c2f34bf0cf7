import { Router } from 'express'
import { z } from 'zod'
import { sendHtml } from '@pawl/base/pages/send-html'
import type { Controls } from '../../controls.ts'
import { answeringFaults, presetNames, sendingFaults } from '../../platform/chaos-settings.ts'
import type { CaseReader } from '../../cases/read-cases.ts'
import { queryOf } from '@pawl/base/pages/query'
import { readForm } from '../read-form.ts'
import { ChaosPage } from './chaos-page.tsx'
import { ClockPage, spans } from './clock-page.tsx'
import { ResetPage } from './reset-page.tsx'

const chance = z.coerce.number().min(0).max(1)
const fieldsOf = (of: string, faults: readonly string[]) => faults.map((fault) => [`${of}.${fault}`, chance] as const)
const ChancesForm = z.object(
  Object.fromEntries([...fieldsOf('sending', sendingFaults), ...fieldsOf('answering', answeringFaults)]),
)
const PresetForm = z.object({ preset: z.enum(presetNames) })
const SpeedForm = z.object({ speed: z.coerce.number().nonnegative() })
const AdvanceForm = z.object({ by: z.enum(['hour', 'day', 'week']) })
const word = z.string().regex(/^\w+$/)
/** The last action, from the query string. */
const Action = z.union([
  z.object({ advanced: AdvanceForm.shape.by, transitions: z.coerce.number().int().nonnegative() }),
  z.object({ stepped: word, state: word }).transform(({ stepped: id, state }) => ({ stepped: { id, state } })),
  z.object({ stepped: z.literal('none') }).transform(() => ({})),
])
const ResetForm = z.object({ sure: z.literal('yes', { error: 'must be ticked' }) })

/** Pages of chaos, clock and reset, and their forms. */
export function platformRoutes({ controls, cases }: { controls: Controls; cases: CaseReader }): Router {
  const router = Router()

  router.get('/pages/chaos', (_req, res) => {
    sendHtml(res, <ChaosPage chaos={controls.readChaos()} />)
  })

  router.post('/pages/chaos/preset', (req, res) => {
    controls.setChaos(readForm(PresetForm, req).preset)
    res.redirect(303, '/_sandbox/pages/chaos')
  })

  router.post('/pages/chaos', (req, res) => {
    const chances = readForm(ChancesForm, req)
    const chancesOf = (of: string, faults: readonly string[]) =>
      Object.fromEntries(faults.map((fault) => [fault, chances[`${of}.${fault}`] ?? 0]))
    controls.setChaos({
      sending: chancesOf('sending', sendingFaults),
      answering: chancesOf('answering', answeringFaults),
    })
    res.redirect(303, '/_sandbox/pages/chaos')
  })

  router.get('/pages/clock', (req, res) => {
    sendHtml(res, <ClockPage clock={controls.readClock()} action={Action.safeParse(req.query).data} />)
  })

  router.post('/pages/clock', (req, res) => {
    controls.setClock(readForm(SpeedForm, req))
    res.redirect(303, '/_sandbox/pages/clock')
  })

  router.post('/pages/clock/advance', (req, res) => {
    const { by } = readForm(AdvanceForm, req)
    const { transitions } = controls.setClock({ advanceMs: spans[by] })
    res.redirect(303, `/_sandbox/pages/clock${queryOf({ advanced: by, transitions: String(transitions) })}`)
  })

  router.post('/pages/clock/step', (_req, res) => {
    const { id, state } = controls.step() ?? {}
    res.redirect(303, `/_sandbox/pages/clock${queryOf({ stepped: id ?? 'none', state })}`)
  })

  router.get('/pages/reset', (req, res) => {
    const number = cases.counts().reduce((sum, { count }) => sum + count, 0)
    const isDone = req.query.done !== undefined
    sendHtml(res, <ResetPage cases={number} deliveries={controls.deliveries().length} isDone={isDone} />)
  })

  router.post('/pages/reset', (req, res) => {
    readForm(ResetForm, req)
    controls.reset()
    res.redirect(303, '/_sandbox/pages/reset?done=yes')
  })

  return router
}
