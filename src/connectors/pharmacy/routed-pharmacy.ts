import { PawlError } from '../../base/errors.ts'
import { NotRehearsable } from '../../systems/not-rehearsable.ts'
import type { CheckReport, RunContext, System } from '../../systems/system.ts'
import { dispensingPharmacyNcpdpId } from '../dispensing-pharmacy.ts'
import type { Pharmacy } from './pharmacy.ts'

/** The settings do not name the pharmacy of a transfer; its work parks until they do. */
export class PharmacyRouteMissing extends PawlError {
  readonly code = 'pharmacy_route_missing'
  readonly system = 'pharmacy'

  constructor({ resourceId, ncpdpId }: { resourceId: string; ncpdpId: string }) {
    super(
      `No pharmacy is set for NCPDP id ${ncpdpId}, where the prescription of ${resourceId} goes: add it to PHARMACY_ROUTES, or set PHARMACY_URL for all others; then retry the parked work.`,
    )
  }
}

export interface PharmacyRoutes {
  /** The pharmacies by NCPDP id. */
  routes: ReadonlyMap<string, System<Pharmacy>>
  /** The pharmacy for every other id, and for a transfer that has none yet. */
  fallback?: System<Pharmacy> | undefined
}

/** Several pharmacies as one: each gets the transfers whose last attempt went to it. Throws `PharmacyRouteMissing`. */
export function routedPharmacy({ routes, fallback }: PharmacyRoutes): System<Pharmacy> {
  const named = [...routes].map(([ncpdpId, system]) => ({ name: `NCPDP id ${ncpdpId}`, system }))
  const all = fallback === undefined ? named : [...named, { name: 'PHARMACY_URL', system: fallback }]

  /** Opens, with `open`, the pharmacy that the transfer goes to. */
  function routed(run: RunContext, open: (system: System<Pharmacy>) => Pharmacy): Pharmacy {
    return {
      async putPrescriptionTransfer(priorAuthorization) {
        if (priorAuthorization.prescription_transfer === undefined) return
        const ncpdpId = dispensingPharmacyNcpdpId(priorAuthorization)?.trim()
        const system = (ncpdpId === undefined ? undefined : routes.get(ncpdpId)) ?? fallback
        if (system !== undefined) return open(system).putPrescriptionTransfer(priorAuthorization)
        if (ncpdpId !== undefined) throw new PharmacyRouteMissing({ resourceId: run.resourceId, ncpdpId })
        run.log.info({}, 'the transfer names no pharmacy yet, so no notice is sent')
      },
    }
  }

  return {
    open: (run) => routed(run, (system) => system.open(run)),
    rehearse: (run) =>
      routed(run, (system) => {
        if (system.rehearse === undefined) throw new NotRehearsable('This pharmacy cannot be rehearsed.')
        return system.rehearse(run)
      }),
    async check(signal) {
      const reports = await Promise.all(all.map(({ name, system }) => checkOne(name, system, signal)))
      return { ok: reports.every(({ ok }) => ok), findings: reports.flatMap(({ findings }) => findings) }
    },
    async close() {
      await Promise.all([...new Set(all.map(({ system }) => system))].map(async (system) => system.close?.()))
    },
  }
}

async function checkOne(name: string, system: System<Pharmacy>, signal: AbortSignal): Promise<CheckReport> {
  const { ok, findings } = (await system.check?.(signal)) ?? { ok: true, findings: ['It has no check.'] }
  return { ok, findings: findings.map((finding) => `${name}: ${finding}`) }
}
