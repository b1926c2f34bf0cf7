import { describe, expect, it } from 'vitest'
import { findDrift } from '../../src/events/find-drift.ts'
import { findUnknown, type Unknown } from '../../src/schemas/drift.ts'
import { BenefitVerificationResource } from '../../src/schemas/benefit-verification.ts'
import { PriorAuthorizationResource } from '../../src/schemas/prior-authorization.ts'
import { fullPriorAuthorization } from '../../../../test/support/full-samples.ts'
import { sampleBenefitVerification, samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { envelope } from '../../../../test/support/webhook.ts'

const unknownOf = (different: Record<string, unknown>) =>
  findUnknown('prior_authorization', { ...samplePriorAuthorization(), ...different })

const byName = (found: readonly Unknown[]) => found.toSorted((a, b) => (a.name < b.name ? -1 : 1))

describe('an unknown part of a resource', () => {
  it('does not occur in a documented one', () => {
    expect(findUnknown('prior_authorization', fullPriorAuthorization())).toEqual([])
    expect(findUnknown('benefit_verification', sampleBenefitVerification())).toEqual([])
  })

  it('is no field that the service is documented to have', () => {
    for (const [kind, documented] of [
      ['prior_authorization', PriorAuthorizationResource],
      ['benefit_verification', BenefitVerificationResource],
    ] as const) {
      const fields = Object.fromEntries(Object.keys(documented.shape).map((name) => [name, null]))
      expect(findUnknown(kind, { ...fields, novelty: 1 })).toEqual([
        { kind: 'field', name: `${kind}.novelty`, value: '' },
      ])
    }
  })

  it('is a status, another code, and a field, each by its path without indexes, and each once', () => {
    const found = unknownOf({
      status: 'awaiting_committee',
      outcome: { result: 'Pending', detail_code: 'under_committee_review', committee: { seats: 5 } },
      insurance: [{ discrete_content: { rx_tier: '2' } }, { discrete_content: { rx_tier: '3' } }],
      activity_log: [{ type: 'sent_letter' }],
    })
    expect(byName(found)).toEqual([
      { kind: 'code', name: 'prior_authorization.activity_log[].type', value: 'sent_letter' },
      { kind: 'field', name: 'prior_authorization.insurance[].discrete_content.rx_tier', value: '' },
      { kind: 'field', name: 'prior_authorization.outcome.committee', value: '' },
      { kind: 'code', name: 'prior_authorization.outcome.detail_code', value: 'under_committee_review' },
      { kind: 'status', name: 'prior_authorization.status', value: 'awaiting_committee' },
    ])
  })

  it('never is content: what does not look like a name or a code is not shown, and free fields are not looked into', () => {
    const found = unknownOf({
      status: 'see the note of Testa Sample',
      outcome: { result: 'Pending', detail_code: '555-0100' },
      'Testa Sample': { mrn: 'MRN-0007' },
      mrn_00071970: true,
      evidence: [{ title: 'Letter', content: { Testa: { last_name: 'Sample' } } }],
      novelty: { patient_note: 'Testa Sample' },
    })
    expect(byName(found)).toEqual([
      { kind: 'field', name: 'prior_authorization.?', value: '' },
      { kind: 'field', name: 'prior_authorization.novelty', value: '' },
      { kind: 'code', name: 'prior_authorization.outcome.detail_code', value: '?' },
      { kind: 'status', name: 'prior_authorization.status', value: '?' },
    ])
    expect(JSON.stringify(found)).not.toMatch(/Testa|Sample|0007|1970|0100/)
  })

  it('is bounded for any input', () => {
    const flood = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field_${n}`, n]))
    expect(unknownOf(flood)).toHaveLength(50)
    for (const data of [null, undefined, 'text', 7, [], { status: {} }, { insurance: 'none' }])
      expect(findUnknown('prior_authorization', data)).toEqual([])
  })
})

describe('an unknown part of a delivery', () => {
  it('is its type, fields of its envelope, claims of its token, and what its data holds', () => {
    const known = { ...envelope({ id: 'pa_req_1', status: 'processing' }), event_id: 'wh_evt_1' }
    expect(findDrift(known, ['iat', 'exp', 'body_sha256'])).toEqual([])
    expect(findDrift({ ...known, sequence: 7 }, ['exp', 'organization', 'https://names.example/Testa'])).toEqual([
      { kind: 'envelope_field', name: 'sequence', value: '' },
      { kind: 'claim', name: 'organization', value: '' },
      { kind: 'claim', name: '?', value: '' },
    ])
    expect(findDrift(envelope({ id: 'pa_req_1', status: 'anything' }, 'prior_authorization.novelty'), [])).toEqual([
      { kind: 'event_type', name: 'event_type', value: 'prior_authorization.novelty' },
    ])
    expect(findDrift(envelope({ id: 'pa_req_1', status: 'paused' }), [])).toEqual([
      { kind: 'status', name: 'prior_authorization.status', value: 'paused' },
    ])
  })
})
