import { expect, it } from 'vitest'
import { actionsFor, readPersonWait, taskFor, waitReasons } from '../../src/schemas/waits-for-people.ts'
import { isPossible, nextActions } from '../../../../templates/staff-work-queue/next-actions.ts'
import {
  sampleBenefitVerification,
  samplePriorAuthorization,
  sampleTransfer,
} from '../../../../test/support/samples.ts'

const approved = { result: 'Approved', detail_code: 'approval' }

for (const [status, outcome, reason, actions] of [
  ['awaiting_review', { result: 'Pending' }, 'awaiting_review', ['review', 'cancel']],
  ['awaiting_provider_response', { result: 'Pending' }, 'awaiting_provider_response', ['answer', 'cancel']],
  [
    'not_submitted',
    { result: 'Not Submitted', detail_code: 'more_information_required' },
    'more_information_required',
    ['resubmit'],
  ],
  [
    'not_submitted',
    { result: 'Not Submitted', detail_code: 'formulary_alternative_required' },
    'formulary_alternative_required',
    ['resubmit'],
  ],
  ['failed', { result: 'Other', detail_code: 'patient_consent_required' }, 'patient_consent_required', ['resubmit']],
  ['completed', { result: 'Denied', detail_code: 'unknown' }, 'denied', ['resubmit', 'appeal']],
] as const) {
  it(`a PA that is ${status}, ${outcome.result}, waits for people: ${reason}`, () => {
    const pa = samplePriorAuthorization({ status, outcome })
    expect(readPersonWait('prior_authorization', pa)).toEqual({ waitsFor: reason, followsUp: undefined })
    const names = actionsFor('prior_authorization', reason).map(({ name }) => name)
    expect(names).toEqual(actions)
    // Words of the template for the staff.
    expect(
      nextActions(pa)
        .filter(isPossible)
        .map(({ name }) => name),
    ).toEqual(actions)
  })
}

for (const [status, different] of [
  ['created', {}],
  ['processing', { outcome: { result: 'Pending', detail_code: 'more_information_required' } }],
  ['validating_outcome', { outcome: { result: 'Denied' } }],
  ['completed', { outcome: approved }],
  ['completed', { outcome: approved, prescription_transfer: sampleTransfer() }],
  ['not_submitted', { outcome: { result: 'Not Submitted', detail_code: 'pbm_excluded' } }],
  ['cancelled', { outcome: { result: 'Denied' } }],
  ['a_status_of_next_year', { outcome: { result: 'Denied' } }],
] as const) {
  it(`a PA that is ${status}, ${JSON.stringify(different)}, waits for no person`, () => {
    const pa = samplePriorAuthorization({ status, ...different })
    expect(readPersonWait('prior_authorization', pa).waitsFor).toBeUndefined()
  })
}

it('an approved PA waits for people where its prescription cannot be transferred', () => {
  for (const [status, actions] of [
    ['awaiting_provider_response', ['answer', 'cancel_transfer']],
    ['error', ['cancel_transfer']],
  ] as const) {
    const pa = samplePriorAuthorization({
      status: 'completed',
      outcome: approved,
      prescription_transfer: sampleTransfer({ status }),
    })
    const { waitsFor = '' } = readPersonWait('prior_authorization', pa)
    expect(waitsFor).toBe(`transfer_${status}`)
    expect(actionsFor('prior_authorization', waitsFor).map(({ name }) => name)).toEqual(actions)
  }
})

it('a failed verification waits for people, another does not', () => {
  const standingOf = (different: Record<string, unknown>) =>
    readPersonWait('benefit_verification', sampleBenefitVerification(different)).waitsFor
  expect(standingOf({ status: 'failed', error: { detail_code: 'incorrect_member_id' } })).toBe('verification_failed')
  expect(standingOf({ status: 'failed', error: { detail_code: 'patient_consent_required' } })).toBe(
    'patient_consent_required',
  )
  expect(standingOf({ status: 'failed' })).toBe('verification_failed')
  for (const status of ['pending', 'completed', 'cancelled']) expect(standingOf({ status })).toBeUndefined()
  for (const reason of ['verification_failed', 'patient_consent_required'])
    expect(actionsFor('benefit_verification', reason).map(({ name }) => name)).toEqual(['verify_again'])
})

it('a new request says which one it was sent in place of', () => {
  const info = { previous_prior_auth_request_id: 'pa_req_0', note: 'with the letter' }
  expect(readPersonWait('prior_authorization', samplePriorAuthorization({ resubmission_info: info })).followsUp).toBe(
    'pa_req_0',
  )
  expect(readPersonWait('benefit_verification', sampleBenefitVerification({ replaces: 'bv_0' })).followsUp).toBe('bv_0')
})

it('an unreadable resource waits for no person, and an unknown reason allows no action', () => {
  for (const data of [null, 'text', [], { status: 7 }])
    expect(readPersonWait('prior_authorization', data).waitsFor).toBeUndefined()
  expect(actionsFor('prior_authorization', 'toString')).toEqual([])
  expect(actionsFor('provider_outreach', 'denied')).toEqual([])
})

it.each(waitReasons)('tells staff in words what to do about %s', (reason) => {
  expect(taskFor(reason)).toMatch(/^[A-Z][a-z' :]+$/)
})
it('has the code for a reason that it does not know', () => {
  expect([taskFor('moon_phase'), taskFor('toString')]).toEqual(['moon phase', 'toString'])
})
