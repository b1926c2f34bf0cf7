import { describe, expect, it } from 'vitest'
import {
  aBenefitVerification,
  aMessage,
  anEvent,
  aPriorAuthorization,
  approved,
  aProviderOutreach,
  aTransfer,
  denied,
  notSubmitted,
  other,
} from '../src/index.ts'
import {
  BenefitVerificationResource,
  benefitVerificationStatuses,
} from '../../client/src/schemas/benefit-verification.ts'
import {
  ShownMessage,
  ShownTransfer,
  PriorAuthorizationResource,
  priorAuthorizationStatuses,
} from '../../client/src/schemas/prior-authorization.ts'
import { detailCodes, ShownOutcome } from '../../client/src/schemas/outcome.ts'

describe('a built resource', () => {
  it.each(priorAuthorizationStatuses)('of a PA that is %s has the matching outcome', (status) => {
    const { outcome } = aPriorAuthorization({ status })
    const results = { completed: 'Approved', not_submitted: 'Not Submitted', failed: 'Other' } as const
    expect(outcome?.result).toBe(status in results ? results[status as keyof typeof results] : 'Pending')
  })

  it.each(benefitVerificationStatuses)('of a BV that is %s has coverage only if completed', (status) => {
    const { drugs, error, patient_coverage_status } = aBenefitVerification({ status })
    expect(drugs?.[0]?.coverage).toBe(status === 'completed' ? 'covered' : undefined)
    expect(patient_coverage_status).toBe(status === 'completed' ? 'covered' : undefined)
    expect(error === undefined).toBe(status !== 'failed')
  })

  it('has the documented fields of the service', () => {
    const pa = aPriorAuthorization({ prescription_transfer: aTransfer(), message_thread: { messages: [aMessage()] } })
    const { id, object, url, priority } = PriorAuthorizationResource.shape
    for (const [schema, value] of [
      [id, pa.id],
      [object, pa.object],
      [url, pa.url],
      [priority, pa.priority],
      [ShownMessage, pa.message_thread?.messages?.[0]],
      [BenefitVerificationResource.shape.status, aBenefitVerification().status],
    ] as const)
      expect(schema.safeParse(value).error).toBeUndefined()
  })

  it('is equal on each call', () => {
    expect(aPriorAuthorization()).toEqual(aPriorAuthorization())
    expect(aBenefitVerification()).toEqual(aBenefitVerification())
    expect(aProviderOutreach()).toEqual(aProviderOutreach())
  })

  it('keeps the other fields of an object with one overridden field', () => {
    const { patient } = aPriorAuthorization({ patient: { last_name: 'Specimen', address: { city: 'Elsewhere' } } })
    expect(patient).toMatchObject({ first_name: 'Testa', last_name: 'Specimen', address: { state_province: 'NY' } })
    expect(patient?.address?.city).toBe('Elsewhere')
  })

  it('omits a field that is overridden with null', () => {
    expect(aPriorAuthorization({ patient: { mrn: null }, prescription: null })).toMatchObject({
      patient: { mrn: undefined },
      prescription: undefined,
    })
  })

  it('follows from an outcome alone, or a transfer alone', () => {
    expect(aPriorAuthorization({ outcome: denied('plan_exclusion') }).status).toBe('completed')
    expect(aPriorAuthorization({ outcome: notSubmitted() }).status).toBe('not_submitted')
    expect(aPriorAuthorization({ outcome: other('duplicate_request') }).status).toBe('completed')
    expect(aPriorAuthorization({ outcome: other('coverage_inactive') }).status).toBe('failed')
    const pa = aPriorAuthorization({ prescription_transfer: aTransfer({ status: 'error' }) })
    expect(pa).toMatchObject({ status: 'completed', outcome: { result: 'Approved' } })
    expect(pa.ndp_submission?.preferred_pharmacy_ncpdp_id).toBe('1234567')
  })

  it('fills in each drug of a BV', () => {
    const { drugs } = aBenefitVerification({ drugs: [{ name: 'Samplol' }, { coverage: 'not_covered' }] })
    expect(drugs).toMatchObject([
      { name: 'Samplol', coverage: 'covered' },
      { name: 'Exampline', coverage: 'not_covered' },
    ])
  })
})

describe('every documented outcome', () => {
  const built = [
    ...detailCodes.Approved.map((code) => approved(code)),
    ...detailCodes.Denied.map((code) => denied(code)),
    ...detailCodes['Not Submitted'].map((code) => notSubmitted(code)),
    ...detailCodes.Other.map((code) => other(code)),
  ]
  it.each(built)('$result, $detail_code, is as the service sends it, and makes a PA', (outcome) => {
    expect(ShownOutcome.safeParse(outcome).error).toBeUndefined()
    expect(aPriorAuthorization({ outcome }).outcome).toMatchObject({ detail_code: outcome.detail_code })
  })
})

describe('every documented transfer status', () => {
  it.each(ShownTransfer.shape.status.options)('%s is as the service sends it', (status) => {
    expect(aTransfer({ status }).status).toBe(status)
  })
})

describe('a resource that the service would never send', () => {
  const cases: [string, () => unknown, RegExp][] = [
    [
      'a running PA with a result',
      () => aPriorAuthorization({ status: 'processing', outcome: denied() }),
      /A PA that is processing has a Pending outcome/,
    ],
    [
      'a completed PA that was not submitted',
      () => aPriorAuthorization({ status: 'completed', outcome: notSubmitted() }),
      /is not_submitted, not completed/,
    ],
    [
      'a completed PA without a result',
      () => aPriorAuthorization({ status: 'completed', outcome: { result: 'Pending' } }),
      /give it an outcome such as denied\(\)/,
    ],
    [
      'a denial with a code of another result',
      () => aPriorAuthorization({ outcome: { result: 'Denied', detail_code: 'approval' } }),
      /An outcome Denied has no detail_code approval: use formulary_alternative_preferred/,
    ],
    [
      'a denial that expires',
      () => aPriorAuthorization({ outcome: denied('unknown', { authorization_expiration: '2027-01-01' }) }),
      /Only an approval has authorization dates/,
    ],
    [
      'a transfer before the approval',
      () => aPriorAuthorization({ status: 'processing', prescription_transfer: aTransfer() }),
      /Only a completed PA, approved or not required, has a transfer/,
    ],
    [
      'an analysis of an approval',
      () => aPriorAuthorization({ status: 'completed', denial_reason_analysis: { explanation: 'None.' } }),
      /Only a denial has an analysis/,
    ],
    [
      'a completed transfer with an error',
      () => aTransfer({ status: 'completed', error_code: 'other' }),
      /has an error_code if and only if its status is error/,
    ],
    [
      'a confirmed transfer without a confirmation',
      () => aTransfer({ confirmed: true, confirmation_attempts: [] }),
      /confirmed if and only if one of confirmation_attempts is a success/,
    ],
    [
      'a pending BV with coverage',
      () => aBenefitVerification({ status: 'pending', drugs: [{ coverage: 'covered' }] }),
      /Only a completed BV has coverage:/,
    ],
    [
      'a completed BV with an error',
      () => aBenefitVerification({ status: 'completed', error: { code: 'Internal Error' } }),
      /has an error if and only if its status is failed/,
    ],
    [
      'an outreach that was sent before it was sent',
      () => aProviderOutreach({ state: 'created', transmission: {} }),
      /was not sent/,
    ],
  ]
  it.each(cases)('%s throws a sentence', (_what, build, sentence) => {
    expect(build).toThrow(TypeError)
    expect(build).toThrow(sentence)
  })
})

it('a typo in an override does not compile', () => {
  const typos = () => [
    // @ts-expect-error -- the field is named status
    aPriorAuthorization({ staus: 'completed' }),
    // @ts-expect-error -- no such status
    aPriorAuthorization({ status: 'complete' }),
    // @ts-expect-error -- the field is named last_name
    aPriorAuthorization({ patient: { lastname: 'Specimen' } }),
    // @ts-expect-error -- a number
    aBenefitVerification({ drugs: [{ quantity: '30' }] }),
    // @ts-expect-error -- no such code of a denial
    denied('approval'),
    // @ts-expect-error -- no such status of a transfer
    aTransfer({ status: 'done' }),
    // @ts-expect-error -- the field is named content
    aMessage({ text: 'Hello.' }),
  ]
  expect(typos).toBeTypeOf('function')
})

describe('an event', () => {
  it('reports a status change by default', () => {
    expect(anEvent(aPriorAuthorization()).event_type).toBe('prior_authorization.status_change')
    expect(anEvent(aBenefitVerification()).event_type).toBe('benefit_verification.status_change')
    expect(anEvent(aPriorAuthorization(), 'prior_authorization.message').event_type).toBe('prior_authorization.message')
  })

  it('of an outreach has an id and a time', () => {
    expect(anEvent(aProviderOutreach())).toMatchObject({
      event_type: 'prior_authorization.provider_outreach_change',
      event_id: 'wh_evt_prov_outreach_1',
    })
  })
})
