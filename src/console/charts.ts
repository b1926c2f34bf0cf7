import { Router } from 'express'
import { z } from 'zod'
import type { Log } from '../base/log.ts'
import { readActor } from './actor.ts'
import type { SyncDeps } from './sync.ts'
import { namedLimit } from './sync.ts'
import type { Repairs } from '../ledger/upkeep/create-repairs.ts'
import type { Views } from '../ledger/views/create-views.ts'

/** What systems know of the patients and types that they take. */
export interface ChartDeps {
  /** The systems that remember who a patient is, with the role under which they do. */
  patientRoles: readonly { system: string; role: string }[]
  /** The types that a system takes now; `undefined` for one that does not say. Throws PawlError. */
  readTaken: (system: string) => Promise<readonly string[]> | undefined
}

export interface ChartRoutesDeps extends ChartDeps, Pick<SyncDeps, 'sync'> {
  ledger: Repairs & Pick<Views, 'findLeftOut'>
  log: Log
}

const Forget = z.strictObject({ patient: z.string().trim().min(1).max(200) })
const Backfill = z.strictObject({ system: z.string().min(1).max(100), cursor: z.string().max(300).default('') })

/** Resources that one step of a backfill makes due. */
const stepSize = 500

/** POST /api/patients/forget: who a patient is in other systems is looked for anew. POST /api/backfill, step by step: what a system takes by now is written. */
export function createChartRoutes({ ledger, sync, patientRoles, readTaken, log }: ChartRoutesDeps): Router {
  const router = Router()
  router.post('/api/patients/forget', async (req, res) => {
    const asked = Forget.safeParse(req.body)
    if (!asked.success) {
      const message = 'Send a JSON object with patient: a number of the patient, or the id in the chart.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const act = { actor: readActor(req) }
    const found = await Promise.all(
      patientRoles.map((each) => ledger.forgetMemory({ ...each, value: asked.data.patient }, act)),
    )
    const resources = [...new Set(found.flat())]
    for (let at = 0; at < resources.length; at += namedLimit) await sync(resources.slice(at, at + namedLimit), act)
    log.info({ count: resources.length }, 'a patient forgotten')
    res.json({ resources })
  })
  router.post('/api/backfill', async (req, res) => {
    const asked = Backfill.safeParse(req.body)
    const taken = asked.success ? readTaken(asked.data.system) : undefined
    if (!asked.success || taken === undefined) {
      const message = 'Send a JSON object with system, one that says which types it takes, and perhaps cursor.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { system, cursor } = asked.data
    const types = await taken
    const act = { actor: readActor(req) }
    const resourceIds = await ledger.findLeftOut({ system, types, after: cursor }, stepSize)
    if (resourceIds.length > 0) {
      // First: what a run leaves out again from here on is noted anew.
      await ledger.forgetLeftOut({ system, types, resourceIds }, act)
      await sync(resourceIds, act)
      log.info({ count: resourceIds.length, system }, 'what was left out is written')
    }
    const next = resourceIds.length < stepSize ? undefined : resourceIds.at(-1)
    res.json({ types, resources: resourceIds.length, cursor: next })
  })
  return router
}
