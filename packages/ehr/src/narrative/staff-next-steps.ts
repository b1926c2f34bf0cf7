import { isTerminal } from 'pawl-client/schemas/kinds'
import type { PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import { settledOutcome } from '../fhir/mapping/settled-outcome.ts'
import { text } from '../primitives.ts'

/** Next steps for a person on a PA: the service's advice, else steps by its state. */
export function nextSteps(pa: PriorAuthorization): string[] {
  const outcome = settledOutcome(pa)
  if (!isTerminal('prior_authorization', pa.status)) return whileRunning(pa)
  const { next_steps, next_steps_explanation } =
    (outcome?.result === 'Denied' ? pa.denial_reason_analysis : undefined) ?? {}
  const advice = [text(next_steps), text(next_steps_explanation)].filter((step) => step !== undefined)
  if (advice.length > 0) return advice
  const step = byDetailCode.get(outcome?.detail_code ?? '')
  if (step !== undefined) return [step]
  return outcome?.result === 'Denied' ? ['Check whether an appeal or another drug is an option.'] : []
}

const byDetailCode: ReadonlyMap<string, string> = new Map([
  ['more_information_required', 'Supply the missing information in a new request that refers to this one.'],
  ['patient_consent_required', "Obtain the patient's consent, then send a new request."],
  ['formulary_alternative_required', 'Check whether a drug of the formulary is an option.'],
  ['formulary_alternative_preferred', 'Check whether an appeal or a drug of the formulary is an option.'],
])

function whileRunning(pa: PriorAuthorization): string[] {
  const consent = pa.patient_consent_required === true ? ["Obtain the patient's consent."] : []
  if (pa.status === 'awaiting_review') return ['Review the request, then submit it.', ...consent]
  if (pa.status === 'awaiting_provider_response') {
    return ["Supply the information requested from the prescriber, as listed in the request's messages.", ...consent]
  }
  return consent.length > 0 ? consent : ['None at present.']
}
