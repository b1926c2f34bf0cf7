import { refuseUnfit } from '../platform/resource-control.ts'
import { failure } from './failures.ts'
import { type BenefitVerificationPush, ShownResult } from './pushed-result.ts'
import { type BenefitVerificationScript, unableToGather } from './script.ts'

const always = ['review_status', 'patient_coverage_status', 'verification_methods'] as const
const fitting: Partial<Record<string, readonly string[]>> = {
  completed: ['case', 'drugs', ...Object.keys(ShownResult.shape)],
  failed: ['error', ...always],
}

/** Puts the results of a push into the script; throws `Refusal` 409 for one that does not fit the status. */
export function scriptResult(script: BenefitVerificationScript, status: string, push: BenefitVerificationPush): void {
  refuseUnfit(status, push, fitting[status] ?? [])
  const { error, case: everyCase, drugs, ...shown } = push
  if (status === 'completed') script.error = null
  if (status === 'failed') script.error = error === undefined ? (script.error ?? unableToGather) : errorOf(error)
  if (everyCase !== undefined) script.cases = script.cases.map(() => everyCase)
  script.pushed = { ...shown, ...(drugs && { drugs }) }
}

function errorOf({ code: given, detail_code: detail, ...texts }: NonNullable<BenefitVerificationPush['error']>) {
  const usual = detail === undefined ? failure(given) : failure(given, detail)
  const said = Object.entries(texts).filter(([, value]) => value !== undefined)
  return { ...usual, ...Object.fromEntries(said) }
}
