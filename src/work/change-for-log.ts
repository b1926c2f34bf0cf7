import { undocumented } from '../service/schemas/documented.ts'
import { benefitVerificationStatuses } from '../service/schemas/benefit-verification.ts'
import { priorAuthorizationStatuses } from '../service/schemas/prior-authorization.ts'

/** How a resource stood for a handler before its run and how it stands now, in words of the service's documented lists. */
export interface ChangeForLog {
  status_before?: string | undefined
  status?: string | undefined
  outcome?: string | undefined
  transfer_before?: string | undefined
  transfer?: string | undefined
}

/** The fields that are read, of kinds that have them; a status may be any text. */
interface Standing {
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

/** What a log may say of a change. Other words than the documented ones are `?` there, whatever they are (docs/design.md, rule 11). */
export function describeChangeForLog(now: Standing, before: Standing | undefined): ChangeForLog {
  return {
    status_before: documented(statuses, before?.status),
    status: documented(statuses, now.status),
    // While a PA runs, its outcome is a placeholder.
    outcome: now.status === 'completed' ? outcomes.get(now.outcome?.result ?? '') : undefined,
    transfer_before: documented(transfers, before?.prescription_transfer?.status),
    transfer: documented(transfers, now.prescription_transfer?.status),
  }
}

/** A status of any kind, as a log may tell it. */
export function statusForLog(status: string | undefined): string | undefined {
  return documented(statuses, status)
}

function documented(words: ReadonlySet<string>, word: string | undefined): string | undefined {
  return word === undefined || words.has(word) ? word : undocumented
}
