import { Router } from 'express'
import type { Log } from '../base/log.ts'
import { contract } from './contract/contract.ts'
import { namedLimit } from './contract/resource-contract.ts'
import { invalid, serve } from './serve.ts'
import type { SyncDeps } from './sync-now.ts'
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

/** Resources that one step of a backfill makes due. */
const stepSize = 500

/** Who a patient is in other systems is looked for anew; and, step by step, what a system takes by now is written. */
export function createChartRoutes({ ledger, sync, patientRoles, readTaken, log }: ChartRoutesDeps): Router {
  const router = Router()
  serve(router, contract.forgetPatient, async ({ body, actor }) => {
    const act = { actor }
    const found = await Promise.all(
      patientRoles.map((each) => ledger.forgetMemory({ ...each, value: body.patient }, act)),
    )
    const resources = [...new Set(found.flat())]
    for (let at = 0; at < resources.length; at += namedLimit) await sync(resources.slice(at, at + namedLimit), act)
    log.info({ count: resources.length }, 'a patient forgotten')
    return { resources }
  })
  serve(router, contract.backfill, async ({ body: { system, cursor }, actor }) => {
    const types = await readTaken(system)
    if (types === undefined) throw invalid(contract.backfill)
    const act = { actor }
    const resourceIds = await ledger.findLeftOut({ system, types, after: cursor }, stepSize)
    if (resourceIds.length > 0) {
      // First: what a run leaves out again from here on is noted anew.
      await ledger.forgetLeftOut({ system, types, resourceIds }, act)
      await sync(resourceIds, act)
      log.info({ count: resourceIds.length, system }, 'what was left out is written')
    }
    const next = resourceIds.length < stepSize ? undefined : resourceIds.at(-1)
    return { types, resources: resourceIds.length, cursor: next }
  })
  return router
}
