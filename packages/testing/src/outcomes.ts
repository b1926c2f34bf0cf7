import { type Outcome, detailCodes, isApproved } from 'pawl-client/schemas/outcome'
import { outcomeOf, type Verdict } from '@pawl/sandbox/prior-authorization/pa-verdict'
import type { Overrides } from './overrides.ts'

type Code<Result extends keyof typeof detailCodes> = (typeof detailCodes)[Result][number]

/** An outcome as a builder takes it. */
export type BuiltOutcome = Overrides<Outcome>

/** The decision time of every outcome. */
const decidedAt = Date.parse('2026-03-02T00:00:00Z')

/** The payer approved for a year, or required no PA. */
export function approved(code: Code<'Approved'> = 'approval', different: BuiltOutcome = {}): BuiltOutcome {
  return build({ result: 'Approved', detail_code: code }, different)
}

/** The payer denied, for this documented reason. */
export function denied(
  code: Code<'Denied'> = 'medical_necessity_criteria_not_met',
  different: BuiltOutcome = {},
): BuiltOutcome {
  return build({ result: 'Denied', detail_code: code }, different)
}

/** The service did not submit the request, for this documented reason. */
export function notSubmitted(
  code: Code<'Not Submitted'> = 'more_information_required',
  different: BuiltOutcome = {},
): BuiltOutcome {
  return build({ result: 'Not Submitted', detail_code: code }, different)
}

/** The request ended without a determination, for this documented reason. */
export function other(code: Code<'Other'> = 'other', different: BuiltOutcome = {}): BuiltOutcome {
  return build({ result: 'Other', detail_code: code }, different)
}

/** The placeholder outcome of a PA that is running or cancelled. */
export const pending: BuiltOutcome = { result: 'Pending', detail: null, detail_code: null }

function build(verdict: Verdict, different: BuiltOutcome): BuiltOutcome {
  return { ...outcomeOf(verdict, decidedAt), ...different }
}

/** Describes an inconsistency within an outcome; undefined without one. */
export function faultOf({ result, detail_code: code, authorization_start_date, authorization_expiration }: Outcome) {
  if (!isApproved({ result }) && (authorization_start_date ?? authorization_expiration) !== undefined)
    return `Only an approval has authorization dates: leave them out of the outcome ${result ?? 'without a result'}.`
  if (code === undefined || result === undefined) return undefined
  const words = result === 'Approval' ? 'Approved' : result
  const known: readonly string[] = Object.hasOwn(detailCodes, words)
    ? detailCodes[words as keyof typeof detailCodes] // just looked up
    : []
  if (known.includes(code)) return undefined
  return `An outcome ${result} has no detail_code ${code}: use ${known.join(', ') || 'null'}.`
}
