import { undocumented } from '../service/schemas/documented.ts'
import { benefitVerificationStatuses } from '../service/schemas/benefit-verification.ts'
import { priorAuthorizationStatuses } from '../service/schemas/prior-authorization.ts'

/** The state of a resource before and after a run, in the service's documented words. */
export interface ChangeForLog {
  status_before?: string | undefined
  status?: string | undefined
  outcome?: string | undefined
  transfer_before?: string | undefined
  transfer?: string | undefined
}

/** The fields read, for kinds that have them; a status may be any text. */
interface StateFields {
  [field: string]: unknown
  status?: string | undefined
  outcome?: { result?: string | undefined } | undefined
  prescription_transfer?: { status?: string | undefined } | undefined
}

const statuses: ReadonlySet<string> = new Set([...priorAuthorizationStatuses, ...benefitVerificationStatuses])
const transfers: ReadonlySet<string> = new Set([
  'in_progress',
  'awaiting_provider_response',
  'completed',
  'cancelled',
  'error',
])
const outcomes: ReadonlyMap<string, string> = new Map([
  ['Approved', 'approved'],
  ['Approval', 'approved'],
  ['Denied', 'denied'],
  ['Not Submitted', 'not_submitted'],
  ['Other', 'other'],
])

/** The change as a log may show it; undocumented words become `?` (docs/design.md, rule 11). */
export function describeChangeForLog(now: StateFields, before: StateFields | undefined): ChangeForLog {
  return {
    status_before: documented(statuses, before?.status),
    status: documented(statuses, now.status),
    // While a PA runs, its outcome is a placeholder.
    outcome: now.status === 'completed' ? outcomes.get(now.outcome?.result ?? '') : undefined,
    transfer_before: documented(transfers, before?.prescription_transfer?.status),
    transfer: documented(transfers, now.prescription_transfer?.status),
  }
}

/** A status as a log may show it. */
export function statusForLog(status: string | undefined): string | undefined {
  return documented(statuses, status)
}

function documented(words: ReadonlySet<string>, word: string | undefined): string | undefined {
  return word === undefined || words.has(word) ? word : undocumented
}
