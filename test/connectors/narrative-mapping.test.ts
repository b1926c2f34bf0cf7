import type { DocumentReference } from 'fhir/r4.js'
import { describe, expect, it } from 'vitest'
import {
  toBenefitVerificationDocument,
  toPriorAuthorizationDocument,
} from '../../src/connectors/ehr/fhir/mapping/document.ts'
import type { NarrativeFormat } from '../../src/connectors/ehr/fhir/mapping/context.ts'
import { fullBenefitVerification, fullPriorAuthorization } from '../support/full-samples.ts'
import { mappingContext } from '../support/mapping-context.ts'
import { samplePriorAuthorization } from '../support/samples.ts'

const formats: NarrativeFormat[] = ['text/plain', 'application/xhtml+xml', 'text/html']
const context = mappingContext({ documents: { formats, author: { display: 'Prior authorization desk' } } })

function textOf(document: DocumentReference, format: NarrativeFormat = 'text/plain'): string {
  const attachment = document.content.map((content) => content.attachment).find((each) => each.contentType === format)
  return Buffer.from(attachment?.data ?? '', 'base64').toString('utf8')
}

const readable = (xhtml: string) =>
  xhtml
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

describe.each(formats)('a document in %s', (format) => {
  it('of a prior authorization leaves nothing out that a clinician needs', () => {
    const shown = readable(textOf(toPriorAuthorizationDocument(context, fullPriorAuthorization()), format))
    for (const fact of [
      'Exampline 10 mg tablet',
      '0000-0000-01',
      'oral',
      'One tablet daily',
      '30 tablets',
      '28',
      '2026-02-27 08:15 UTC',
      'E11.9, I10',
      'High',
      'pa_req_0',
      'With the missing letter',
      'Two doses a day',
      'Appeal',

      'Denied',
      'Step therapy criteria not met (step_therapy_criteria_not_met)',
      'Placebomycin has to be tried first.',

      'CC-12',
      'Step therapy',
      'No trial of Placebomycin is on record.',
      'Appeal the denial.',
      'A letter of medical',
      'Testa Sample',
      '1970-01-31',
      'MRN-0007',
      'Max Muster, NPI 1234567893',
      'fax 555-0101',
      'Sample Payer',
      'M-100',
      '012345',
      'PCN1',
      'RXG1',
      'G-1',
      'Sample Health Plan, Medicare advantage',
      '2026-01-01 to 2026-12-31',
      'E75: Subscriber not found',
      '$19.99 per 30 days',
      '$25.00',
      'Placebomycin 250 mg, $5.00, prior authorization not required',
      'Transfer timed out (transfer_timed_out)',
      'Sample Pharmacy, NCPDP 7654321',
      'The one at the station',
      '2026-03-01 10:00 UTC to 7654321',
      '2026-03-01 11:00 UTC failed',
      '2026-03-01 09:00 UTC, Sample Agent',
      '2026-03-02 07:30 UTC, Sent fax',
      'Sam Submitter, sam@clinic.example',
      'Rita Reviewer, rita@clinic.example',
      'pa_req_1',
      'bv_9',
      'rx_msg_1',
      'https://service.example/requests/pa_req_1',
    ])
      expect(shown).toContain(fact)
  })

  it('of an approved prior authorization says how long it holds', () => {
    const outcome = {
      result: 'Approved',
      detail_code: 'approval',
      authorization_start_date: '2026-03-01',
      authorization_expiration: '2027-02-28',
    }
    const shown = textOf(toPriorAuthorizationDocument(context, fullPriorAuthorization({ outcome })), format)
    expect(shown).toContain('Approved, valid from 2026-03-01 until 2027-02-28.')
    expect(shown).not.toMatch(/denied|Appeal the denial/i)
  })

  it('of a benefit verification tells drug by drug what was found out', () => {
    const shown = readable(textOf(toBenefitVerificationDocument(context, fullBenefitVerification()), format))
    for (const fact of [
      'The patient is covered. Exampline 10 mg: covered, prior authorization required (an active one exists).',
      'NDC 00000-0000-02: not covered, prior authorization not applicable.',
      '$19.99',
      '$19.99 per 30 days, $49.99 per 90 days',
      'Insurer reported value (insurer_reported_value)',

      'Diagnoses not covered (diagnoses_not_covered)',
      'All drugs were verified.',
      'Sample PBM',
      'Medicaid',
      'Government',

      'Sample Payer',
      'M-100',
      '012345',
      'PCN1',
      'RXG1',
      'G-1',
      'E11.9',
      'Testa Sample',
      '1970-01-31',
      '1234567893',
      'On formulary',
      'Excluded by the plan',
      'acts as exception request',
      'Active prior authorization',
      'bv_1',
      'pa_req_7',
      'bv_0',
      'bv_2',
      'Reviewed',
    ])
      expect(shown).toContain(fact)
  })

  it('of a failed benefit verification says why', () => {
    const error = {
      code: 'Patient Not Found',
      detail_code: 'incorrect_member_id',
      message: 'The member id is unknown.',
      detail_message: 'Check the card.',
    }
    const bv = fullBenefitVerification({
      status: 'failed',
      patient_coverage_status: 'patient_not_found',
      drugs: [],
      error,
    })
    const shown = textOf(toBenefitVerificationDocument(context, bv), format)
    for (const fact of [
      'Verification failed: Patient Not Found.',
      'Patient Not Found: Incorrect member id (incorrect_member_id)',
      'The member id is unknown. Check the card.',
    ])
      expect(shown).toContain(fact)
  })

  it('does not change with the time at which it is written', () => {
    const later = { ...context, now: '2031-12-31T23:59:59.000Z' }
    for (const each of [context, later]) {
      const document = toPriorAuthorizationDocument(each, fullPriorAuthorization())
      expect(document.content).toEqual(toPriorAuthorizationDocument(context, fullPriorAuthorization()).content)
    }
  })
})

describe('the first lines of a document', () => {
  const firstLines = (different: Record<string, unknown>) =>
    textOf(toPriorAuthorizationDocument(context, samplePriorAuthorization(different)))
      .split('\n')
      .slice(0, 4)
  const decided = (result: string | null, detail_code: string | null, more = {}) =>
    firstLines({ status: 'completed', outcome: { result, detail_code, ...more } })

  for (const [title, lead, lines] of [
    [
      'Approved',
      'Approved, valid until 2027-02-28',
      decided('Approval', 'approval', { authorization_expiration: '2027-02-28' }),
    ],
    ['Approved', 'Approved, no period of validity stated', decided('Approved', 'existing_approval')],
    ['No authorization needed', 'No authorization needed', decided('Approved', 'prior_auth_not_required')],
    ['Denied', 'Denied: Plan exclusion', decided('Denied', 'plan_exclusion')],
    [
      'Completed without a decision',
      'Completed without a decision: Duplicate request',
      decided('Other', 'duplicate_request'),
    ],
    ['No authorization needed', 'No authorization needed', decided('Other', 'prior_auth_not_required')],
    ['Completed, result not stated', 'Completed, result not stated', decided('Pending', null)],
    ['Partly Approved', 'Partly Approved', decided('Partly Approved', null)],
    [
      'Failed',
      'Failed: Patient consent required',
      firstLines({ status: 'failed', outcome: { result: 'Other', detail_code: 'patient_consent_required' } }),
    ],
    [
      'Not submitted',
      'Not submitted: Pbm excluded',
      firstLines({ status: 'not_submitted', outcome: { result: 'Not Submitted', detail_code: 'pbm_excluded' } }),
    ],
    [
      'Cancelled',
      'Cancelled',
      firstLines({ status: 'cancelled', outcome: { result: 'Denied', detail_code: 'plan_exclusion' } }),
    ],
    [
      "The payer's answer is being checked",
      "The payer's answer is being checked",
      firstLines({ status: 'validating_outcome', outcome: { result: 'Denied', detail_code: 'plan_exclusion' } }),
    ],
    ['Paused by payer', 'Paused by payer', firstLines({ status: 'paused_by_payer', outcome: { result: 'Approved' } })],
  ] as const) {
    it(`say: ${lead}`, () => {
      expect(lines[0]).toBe(`Prior authorization: ${title} - Exampline 10 mg tablet`)
      expect(lines[3]).toBe(`${lead}.`)
    })
  }
})

describe('next steps', () => {
  for (const [different, step] of [
    [{ status: 'processing' }, 'None at present.'],
    [{ status: 'processing', patient_consent_required: true }, "Obtain the patient's consent."],
    [{ status: 'awaiting_review' }, 'Review the request, then submit it.'],
    [{ status: 'awaiting_provider_response' }, 'Supply the information requested from the prescriber'],
    [
      { status: 'not_submitted', outcome: { result: 'Not Submitted', detail_code: 'more_information_required' } },
      'Supply the missing information in a new request',
    ],
    [
      { status: 'failed', outcome: { result: 'Other', detail_code: 'patient_consent_required' } },
      "Obtain the patient's consent, then send a new request.",
    ],
    [
      { status: 'completed', outcome: { result: 'Denied', detail_code: 'plan_exclusion' } },
      'Check whether an appeal or another drug is an option.',
    ],
    [{ status: 'completed', outcome: { result: 'Approved', detail_code: 'approval' } }, undefined],
  ] as const) {
    it(`of ${JSON.stringify(different)}: ${step ?? 'none'}`, () => {
      const shown = textOf(toPriorAuthorizationDocument(context, samplePriorAuthorization(different)))
      const [, after = ''] = shown.split('Next steps\n----------\n')
      if (step === undefined) expect(after).toBe('')
      else expect(after.startsWith(step)).toBe(true)
    })
  }
})
