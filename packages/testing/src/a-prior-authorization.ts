import { type Outcome, isFillable } from 'pawl-client/schemas/outcome'
import { PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import { isVerdict, statusOf } from '@pawl/sandbox/prior-authorization/pa-verdict'
import { approved, faultOf, notSubmitted, other, pending } from './outcomes.ts'
import { type Overrides, withOverrides } from './overrides.ts'
import { inventedInsurance, inventedPatient, inventedProvider } from './invented-people.ts'
import { refuse } from './refuse.ts'

const defaults = {
  id: 'pa_req_1',
  object: 'prior_authorization',
  url: 'https://service.example/prior-authorizations/pa_req_1',
  patient: inventedPatient,
  provider: inventedProvider,
  insurance: inventedInsurance,
  diagnoses: [{ code: 'E11.9' }],
  prescription: {
    drug_name: 'Exampline',
    strength: '10 mg',
    dose_form: 'tablet',
    directions: 'One tablet daily',
    quantity: 30,
    days_supply: 30,
  },
  priority: 2,
  is_appeal: false,
  patient_consent_required: false,
  message_thread: { is_resolved: false, messages: [] },
  activity_log: [],
}

/** Names the pharmacy that the prescription is transferred to once the PA allows it. */
const withPharmacy = { ndp_submission: { prescription_message_id: 'rx-1', preferred_pharmacy_ncpdp_id: '1234567' } }

const usualOutcomes: Record<string, () => Overrides<Outcome>> = {
  completed: approved,
  not_submitted: notSubmitted,
  failed: other,
}

/** A PA of an invented patient as handlers get it, processing by default. Other fields follow from the overrides. Throws TypeError where the service would never send it. */
export function aPriorAuthorization(different: Overrides<PriorAuthorization> = {}): PriorAuthorization {
  const status = different.status ?? statusFrom(different)
  const filled = {
    ...defaults,
    ...(different.prescription_transfer ? withPharmacy : {}),
    status,
    outcome: (usualOutcomes[status] ?? (() => pending))(),
  }
  const { outcome, ...others } = different
  // An overridden result replaces the whole default outcome.
  const whole = outcome?.result === undefined ? different : { ...others, outcome }
  const merged = outcome?.result === undefined ? filled : { ...filled, outcome: {} }
  const built = PriorAuthorization.parse(withOverrides(merged, whole))
  refuse('prior authorization', [
    faultOf(built.outcome ?? {}),
    ...faultsOfEnding(built),
    built.denial_reason_analysis !== undefined &&
      built.outcome?.result !== 'Denied' &&
      'Only a denial has an analysis: leave out denial_reason_analysis, or give the outcome denied().',
    built.prescription_transfer !== undefined &&
      !(built.status === 'completed' && isFillable(built.outcome)) &&
      'Only a completed PA, approved or not required, has a transfer: give it that outcome, or leave out prescription_transfer.',
  ])
  return built
}

function statusFrom({ outcome, prescription_transfer: transfer }: Overrides<PriorAuthorization>): string {
  if (outcome?.result !== undefined && outcome.result !== null && outcome.result !== 'Pending') {
    const verdict = asVerdict(outcome.result, outcome.detail_code ?? undefined)
    return isVerdict(verdict) ? statusOf(verdict) : 'completed'
  }
  return transfer ? 'completed' : 'processing'
}

/** Accepts any result; `isVerdict` checks it at run time. */
function asVerdict(result: string, detail_code = ''): Parameters<typeof isVerdict>[0] {
  return { result: result as Parameters<typeof isVerdict>[0]['result'], detail_code }
}

function faultsOfEnding({ status, outcome }: PriorAuthorization): (string | undefined)[] {
  const { result = 'Pending', detail_code = '' } = outcome ?? {}
  const isRunning = usualOutcomes[status] === undefined
  if (isRunning && result !== 'Pending')
    return [`A PA that is ${status} has a Pending outcome: leave the outcome out, or give a final status.`]
  if (isRunning) return []
  if (result === 'Pending') return [`A PA that is ${status} has a result: give it an outcome such as denied().`]
  const verdict = asVerdict(result, detail_code)
  if (!isVerdict(verdict)) return []
  const ending = statusOf(verdict)
  return ending === status ? [] : [`A PA with the outcome ${result}, ${detail_code}, is ${ending}, not ${status}.`]
}
