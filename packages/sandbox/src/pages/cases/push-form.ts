import { z } from 'zod'
import { benefitVerificationErrorCodes } from 'pawl-client/schemas/benefit-verification-errors'
import { benefitVerificationCases } from 'pawl-client/schemas/benefit-verification'
import type { ClinicalQualificationRecord } from '../../clinical-qualification/record.ts'
import type { PaStatusPush } from '../../pa-status/pushed-result.ts'
import type { PaStatusRecord } from '../../pa-status/record.ts'
import { codedRefusal } from '../../platform/refusal.ts'
import { compact } from '../../platform/wire.ts'
import { type Verdict, verdicts } from '../../prior-authorization/pa-verdict.ts'
import type { PushOptions } from '../../resource-controls.ts'
import { open, optionalText, text } from '../read-form.ts'
import type { CaseRecord } from '../../cases/read-cases.ts'
import { checkFindings, qualificationResults } from './result-choice.tsx'

/** A push from a case's forms, with the results of its kind. */
export const PushForm = z.object({
  status: text,
  outcome: optionalText,
  last_day: open(z.iso.date()),
  error_code: open(z.enum(benefitVerificationErrorCodes)),
  case: open(z.enum(benefitVerificationCases).exclude(['patient_consent_required'])),
  qualification: open(qualificationResults),
  found: open(z.enum(checkFindings)),
  failure_reason: optionalText,
})

/** Reads the result in a push form; `now` is sandbox time, ISO 8601. */
export function pushOf(
  {
    outcome,
    last_day: lastDay,
    error_code: code,
    case: shown,
    qualification: status,
    found,
    failure_reason,
  }: Omit<z.infer<typeof PushForm>, 'status'>,
  record: CaseRecord,
  now: string,
): PushOptions {
  return compact({
    outcome:
      outcome === undefined
        ? undefined
        : { ...readOutcome(outcome), ...compact({ authorization_expiration: lastDay }) },
    error: code === undefined ? undefined : { code },
    case: shown,
    results: status === undefined ? undefined : asQualification(record)?.resource.results.map(() => ({ status })),
    prior_authorizations: found === undefined ? undefined : findingsOf(found, asStatusCheck(record), now),
    failure_reason,
  })
}

/** Reads an outcome from a form; throws `Refusal` 422 for an undocumented one. */
export function readOutcome(given: string): Verdict {
  const known = verdicts.find(({ result, detail_code }) => `${result}/${detail_code}` === given)
  if (known !== undefined) return known
  throw codedRefusal(422, {
    title: 'Unknown outcome',
    description: `There is no outcome ${given}.`,
    code: 'unknown_outcome',
  })
}

/** A PA for a check to find, for its first drug; an approved one is valid for a year. */
function findingsOf(
  found: (typeof checkFindings)[number],
  check: PaStatusRecord | undefined,
  now: string,
): NonNullable<PaStatusPush['prior_authorizations']> {
  if (found === 'none') return []
  const [asked = { name: 'Examplumab' }] = check?.script.request.drugs ?? []
  const dates = [now, new Date(Date.parse(now) + yearMs).toISOString()].map((time) =>
    time.slice(0, 'yyyy-mm-dd'.length),
  )
  const [start = null, end = null] = found === 'approved' ? dates : []
  return [
    {
      status: found,
      drug: 'ndc' in asked ? { ndc: asked.ndc } : { name: asked.name },
      authorization_start_date: start,
      authorization_expiration: end,
    },
  ]
}

const yearMs = 365 * 86_400_000

// Each kind has one type of record.
const asQualification = (record: CaseRecord) =>
  record.kind === 'clinical_qualification' ? (record as unknown as ClinicalQualificationRecord) : undefined
const asStatusCheck = (record: CaseRecord) =>
  record.kind === 'pa_status' ? (record as unknown as PaStatusRecord) : undefined
