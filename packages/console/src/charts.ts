import { Router } from 'express'
import type { Log } from '@pawl/base/log'
import { contract } from './contract/contract.ts'
import { namedLimit } from './contract/resource-contract.ts'
import { invalid, serve } from './serve.ts'
import type { SyncDeps } from './sync-now.ts'
import type { Repairs } from '@pawl/ledger/upkeep/create-repairs'
import type { LeftOutViews } from '@pawl/ledger/hot/left-out'

/** Patients, notices and types known to systems. */
export interface ChartDeps {
  /** Systems that remember a patient's identity, with the role of that memory. */
  patientRoles: readonly { system: string; role: string }[]
  /** Systems that tell each state once, with the role of the last notice. */
  noticeRoles: readonly { system: string; role: string }[]
  /** The types that a system accepts now; `undefined` if it does not list them. Throws PawlError. */
  readTaken: (system: string) => Promise<readonly string[]> | undefined
}

export interface ChartRoutesDeps extends ChartDeps, Pick<SyncDeps, 'sync'> {
  ledger: Repairs & Pick<LeftOutViews, 'findLeftOut'>
  log: Log
}

/** Max resources that one step of a backfill makes due. */
const stepSize = 500

/** Routes that forget patients' identities in other systems, that have notices told again, and that backfill, step by step, skipped writes a system now accepts. */
export function createChartRoutes({
  ledger,
  sync,
  patientRoles,
  noticeRoles,
  readTaken,
  log,
}: ChartRoutesDeps): Router {
  const router = Router()
  serve(router, contract.forgetPatient, async ({ body, actor }) => {
    const act = { actor }
    const found = await Promise.all(
      patientRoles.map((each) => ledger.forgetMemory({ ...each, value: body.patient }, act)),
    )
    const resources = [...new Set(found.flat())]
    for (let at = 0; at < resources.length; at += namedLimit) await sync(resources.slice(at, at + namedLimit), act)
    log.info({ count: resources.length }, 'memory of a patient forgotten')
    return { resources }
  })
  serve(router, contract.resend, async ({ body: { resources: resourceIds }, actor }) => {
    const act = { actor }
    const resources = await ledger.forgetDigests({ resourceIds, roles: noticeRoles }, act)
    if (resources.length > 0) await sync(resources, act)
    log.info({ count: resources.length }, 'notices are told again')
    return { resources }
  })
  serve(router, contract.backfill, async ({ body: { system, cursor }, actor }) => {
    const types = await readTaken(system)
    if (types === undefined) throw invalid(contract.backfill)
    const act = { actor }
    const resourceIds = await ledger.findLeftOut({ system, types, after: cursor }, stepSize)
    if (resourceIds.length > 0) {
      // First, so that writes skipped again are recorded again.
      await ledger.forgetLeftOut({ system, types, resourceIds }, act)
      await sync(resourceIds, act)
      log.info({ count: resourceIds.length, system }, 'left-out writes made due')
    }
    const next = resourceIds.length < stepSize ? undefined : resourceIds.at(-1)
    return { types, resources: resourceIds.length, cursor: next }
  })
  return router
}
