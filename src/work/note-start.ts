import { ownPackage } from '@pawl/base/own-package'
import { ownActor } from '@pawl/ledger/audit/audit-entry'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import type { Config } from '../settings/read-config.ts'

/** Records the start in the audit trail, with the names of its settings. Rejects if that cannot be written. */
export async function noteStart(ledger: Pick<AuditTrail, 'audit'>, { role, sources }: Config): Promise<void> {
  const named = (from: string) => sources.filter(({ source }) => source === from).map(({ name }) => name)
  const details = {
    version: ownPackage().version,
    role,
    pid: process.pid,
    set_in_environment: named('environment'),
    set_by_default: named('default'),
    not_set: named('not set'),
  }
  await ledger.audit({ actor: ownActor, action: 'process.start', details })
}
