import type { AuditDetails } from '../audit/audit-entry.ts'
import { nameOf } from '../projections/lookups.ts'
import type { Seal } from '../sealing/seal.ts'

/** The digest that identifies a patient in the trail; none without a key, since it would be as good as the number itself. */
export function namePatient(seal: Pick<Seal, 'sign' | 'digest'>, value: string): AuditDetails {
  return seal.sign('') === undefined ? {} : { patient: seal.digest(nameOf({ field: 'internal_id', value })) }
}
