import { Router } from 'express'
import { z } from 'zod'
import type { Away } from '@pawl/ledger/away'
import type { Pauses } from '@pawl/ledger/upkeep/create-pauses'
import type { RunViews } from '@pawl/ledger/views/list-runs'
import type { WorkViews } from '@pawl/ledger/views/read-work'
import { queryOf } from '@pawl/base/pages/query'
import { totalOf } from './filtered-work.ts'
import { statesOf } from './overview-reading.ts'
import { HandlersPage } from './pages/handlers.tsx'
import type { Probe } from './probing.ts'
import type { ReadResult } from './read-result.ts'
import { sendPage } from './render.tsx'
import { serveForm } from './serve-form.tsx'
import type { Vitals } from './vitals.ts'

export interface HandlerPagesDeps {
  ledger: Pick<WorkViews, 'workGroups'> & Pick<RunViews, 'lastRuns'> & Pick<Pauses, 'pauses'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  vitals: Pick<Vitals, 'read'>
  readBreakers: () => Record<string, string>
  readAway: () => readonly Away[]
  probe: Probe
  readResult: ReadResult
  now: () => number
}

const ProbeForm = z.object({ system: z.string(), from: z.literal('/').optional() })

/** The page of handlers and systems, and the form that probes a system. */
export function createHandlerPages(deps: HandlerPagesDeps): Router {
  const { ledger, handlerNames, vitals, readBreakers, readAway, probe, readResult, now } = deps
  const router = Router()
  router.get('/handlers', async (req, res) => {
    const groups = await ledger.workGroups()
    const lastRuns = await ledger.lastRuns()
    const rates = vitals.read().handlers
    const handlers = handlerNames.map((name) => {
      const own = groups.filter(({ handler }) => handler === name)
      const sizeOf = (state: string) => totalOf(own.filter((each) => each.state === state))
      return {
        name,
        rate: rates[name],
        lastRun: lastRuns.find(({ handler }) => handler === name),
        parked: sizeOf('parked'),
        failing: sizeOf('failing'),
        waiting: sizeOf('waiting'),
        newest: own.filter((each) => each.state !== 'waiting').toSorted((a, b) => b.newest - a.newest)[0],
      }
    })
    const pauses = await ledger.pauses()
    const away = readAway()
    const systems = statesOf(readBreakers(), pauses, away).map((each) => ({
      ...each,
      isAway: each.state !== 'paused' && away.some(({ system }) => system === each.system),
    }))
    sendPage(res, <HandlersPage {...{ handlers, systems, pauses }} {...readResult(req.query)} now={now()} />)
  })
  const refused = { at: '/handlers', refused: 'Nothing was probed' } as const
  serveForm(router, '/handlers/probe', refused, async ({ fields, actor }) => {
    const { system, from = '/handlers' } = ProbeForm.catch({ system: '' }).parse(fields)
    const resources = await probe(system, { actor })
    return `${from}${queryOf({ probed: system, resources: String(resources) })}`
  })
  return router
}
