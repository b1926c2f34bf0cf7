import type { z } from 'zod'
import type { Log } from '@pawl/base/log'
import type { Actor } from '@pawl/ledger/audit/audit-entry'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import type { contract } from './contract/contract.ts'
import type { ChartRecord } from './contract/resource-contract.ts'
import { refusal } from './serve.ts'
import type { SyncDeps } from './sync-now.ts'
import { inWork, whileInWork } from './while-in-work.ts'

/** What a system holds of one resource. */
interface Found {
  records: readonly Omit<ChartRecord, 'link'>[]
  unsearched: string[]
}

/** Reads back, and mends, what a system holds of single resources. `unknown`: the ledger knows none of this id; `in_work`: a worker has it. */
export interface ChartVerifier {
  system: string
  read(this: void, resourceId: string): Promise<Found | 'in_work' | 'unknown'>
  /** Mends every disorder while no worker has the resource. */
  mend(this: void, resourceId: string): Promise<Found | 'in_work' | 'unknown'>
}

export interface VerifyingDeps extends Pick<SyncDeps, 'sync'> {
  /** Absent if no system can be read back, and in a receiver. */
  verifier?: ChartVerifier | undefined
  ledger: Pick<AuditTrail, 'audit'>
  linkTo: (write: { system: string; type: string; id: string }) => string | undefined
  /** Wakes a worker for a due resource. */
  enqueue: (resourceId: string) => void
  log: Log
}

/** Shows a person what the chart holds of a resource, and mends it on request: who asked is recorded first, and then what was done to each record. Throws `RequestRefused`, and errors of the chart. */
export type Verifying = (
  resourceId: string,
  how: { mend: boolean; actor: Actor },
) => Promise<z.output<(typeof contract.verify)['answer']>>

export function createVerifying({ verifier, ledger, linkTo, sync, enqueue, log }: VerifyingDeps): Verifying {
  return async (id, { mend, actor }) => {
    if (verifier === undefined)
      throw refusal(
        'no_chart',
        'This process cannot read the chart back: only a worker can, and only by FHIR, since HL7 v2 takes documents and shows none.',
      )
    const { system } = verifier
    await ledger.audit({ actor, action: 'chart.verify', resourceId: id, details: { system, mend } })
    const found = await whileInWork(() => (mend ? verifier.mend(id) : verifier.read(id)))
    if (found === 'in_work') throw refusal('in_work', inWork)
    if (found === 'unknown') throw refusal('unknown_resource', 'No resource of this id is known here.')
    const mended = found.records.filter((record) => record.mended !== undefined)
    if (mended.length > 0) {
      const records = mended.map(({ type, id: ofRecord, mended: how }) => `${type}/${ofRecord}: ${how}`)
      await ledger.audit({ actor, action: 'chart.mend', resourceId: id, details: { system, records } })
      log.info({ resource_id: id, system, count: mended.length }, 'records mended by hand')
    }
    const isWritten = mended.some(({ mended: how }) => how === 'written anew' || how === 'remembered')
    if (isWritten) await sync([id], { actor })
    else if (mend) enqueue(id)
    const records = found.records.map(({ type, id: ofRecord, is, what, status, at, mended: how }) => {
      const link = is === 'missing' ? undefined : linkTo({ system, type, id: ofRecord })
      return { type, id: ofRecord, is, what, status, at, link, mended: how }
    })
    return { id, system, records, unsearched: found.unsearched }
  }
}
