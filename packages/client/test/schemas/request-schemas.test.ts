import { describe, expect, it } from 'vitest'
import { BenefitVerificationRequest } from '../../src/schemas/benefit-verification.ts'
import { faultsOf } from '../../src/schemas/faults.ts'
import { detailCodes } from '../../src/schemas/outcome.ts'
import { PriorAuthorizationRequest } from '../../src/schemas/prior-authorization-request.ts'
import { ProviderLookupRequest } from '../../src/schemas/provider.ts'
import { ncpdpId, ndc, usState } from '../../src/schemas/text.ts'
import { benefitVerification, priorAuthorization } from '../../../sandbox/test/requests.ts'

function locs(schema: typeof PriorAuthorizationRequest | typeof BenefitVerificationRequest, input: unknown): string[] {
  const parsed = schema.safeParse(input)
  return parsed.success ? [] : faultsOf(parsed.error, input).map(({ loc }) => loc.slice(1).join('.'))
}

/** The sample with the value at `path` replaced; undefined removes it. */
function broken(sample: object, path: string, value: unknown): unknown {
  const copy: unknown = structuredClone(sample)
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  // The compiler cannot see that the paths in this file exist in the sample.
  const holder = keys.reduce((inner, key) => inner[key] as Record<string, unknown>, copy as Record<string, unknown>)
  if (value === undefined) delete holder[last]
  else holder[last] = value
  return copy
}

const evidence = { title: 'Note', date_created: '2026-01-01T10:00:00' }
const resubmission = { previous_prior_auth_request_id: 'pa_req_1' }
const ndp = {
  prescription_message_id: 'x',
  ignore_eligibility_check_error: true,
  preferred_pharmacy_ncpdp_id: '0123456',
}
const without = (sample: object, key: string) => ({ ...sample, [key]: undefined })

describe('the schema of a prior authorization', () => {
  it.each<[path: string, value: unknown, at?: string]>([
    ['patient.nickname', 'T'],
    ['insurance_content', undefined, ''],
    ['evidence', [evidence], 'evidence.0'],
    ['evidence', [{ ...evidence, content: 'x', asset: { file_content: 'AAAA' } }], 'evidence.0'],
    ['evidence', [{ ...evidence, asset: { file_content: 'AAAA', file_url: 'https://e.x' } }], 'evidence.0.asset'],
    ['evidence', [{ ...evidence, asset: {} }], 'evidence.0.asset'],
    ['evidence', [{ ...evidence, asset: { file_url: 'ftp://e.x/1.pdf' } }], 'evidence.0.asset.file_url'],
    ['mock_result', { result: 'Perhaps' }, 'mock_result.result'],
    ['mock_result', { result: 'Denied', detail_code: 'approval' }, 'mock_result.detail_code'],
    ...Object.entries(detailCodes).flatMap(([result, [own]]): [string, unknown, string][] =>
      Object.keys(detailCodes)
        .filter((other) => other !== result && own !== 'prior_auth_not_required')
        .map((other) => ['mock_result', { result: other, detail_code: own }, 'mock_result.detail_code']),
    ),
    ['mock_result', { result: 'Approved', client_code: 'C-1' }, 'mock_result.client_code'],
    ['mock_result', { result: 'Denied', trigger_message: true }, 'mock_result.trigger_message'],
    ['ndp_submission', without(ndp, 'preferred_pharmacy_ncpdp_id'), 'ndp_submission'],
    ['ndp_submission', without(ndp, 'prescription_message_id'), 'ndp_submission.prescription_message_id'],
    ['ndp_submission', without(ndp, 'ignore_eligibility_check_error'), 'ndp_submission.ignore_eligibility_check_error'],
    ['ndp_submission', { ...ndp, preferred_pharmacy_ncpdp_id: '123456' }, 'ndp_submission.preferred_pharmacy_ncpdp_id'],
    ['appeal_details', { is_urgent: true }, 'appeal_details.appeal_letter'],
    ['pharmacy', { address: {} }, 'pharmacy.name'],
    ['resubmission_info', resubmission, 'resubmission_info.note'],
  ])('names %s and nothing else when it is %j', (path, value, at) => {
    expect(locs(PriorAuthorizationRequest, broken(priorAuthorization(), path, value))).toEqual([at ?? path])
  })

  it('names every fault at once, rules over several fields included', () => {
    const { insurance_content: _, provider: __, ...request } = priorAuthorization()
    const patient = { ...request.patient, first_name: '', gender: 7 }
    const input = { ...request, patient, resubmission_info: resubmission, surprise: 1 }
    const all = ['patient.first_name', 'patient.gender', 'provider', 'surprise', '', 'resubmission_info.note']
    expect(locs(PriorAuthorizationRequest, input)).toEqual(all)
  })
})

describe('the type of a fault', () => {
  it.each<[type: string, path: string, value: unknown]>([
    ['missing', 'patient', undefined],
    ['extra_forbidden', 'surprise', 1],
    ['string_too_short', 'patient.first_name', ''],
    ['string_type', 'patient.first_name', 1],
    ['enum', 'patient.gender', 'unknown'],
    ['string_pattern_mismatch', 'insurance_content.rx_bin', '61001'],
    ['greater_than', 'prescription.quantity', 0],
    ['value_error', 'patient.email', 'nobody'],
  ])('calls it %s', (type, path, value) => {
    const input = broken(priorAuthorization(), path, value)
    const { error } = PriorAuthorizationRequest.safeParse(input)
    expect(error === undefined ? [] : faultsOf(error, input)).toMatchObject([{ type }])
  })
})

describe('a key that is named __proto__', () => {
  it.each([
    ['__proto__', { KEY: { drug_name: 'X' } }],
    ['patient.__proto__', { patient: { ...priorAuthorization().patient, KEY: 1 } }],
    ['evidence.0.content.__proto__', { evidence: [{ ...evidence, content: { KEY: 1 } }] }],
  ])('is refused as any unknown one: %s', (at, fields) => {
    const input: unknown = JSON.parse(
      JSON.stringify({ ...priorAuthorization(), ...fields }).replace('KEY', '__proto__'),
    )
    const { error } = PriorAuthorizationRequest.safeParse(input)
    expect(error === undefined ? [] : faultsOf(error, input)).toEqual([
      { loc: ['body', ...at.split('.')], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' },
    ])
  })
})

describe('the schema of a benefit verification', () => {
  it.each<[path: string, value: unknown, at?: string]>([
    ['drugs', []],
    ['insurance_content', undefined, ''],
    ['mock_result', { status: 'pending' }, 'mock_result.status'],
  ])('names %s and nothing else when it is %j', (path, value, at) => {
    expect(locs(BenefitVerificationRequest, broken(benefitVerification(), path, value))).toEqual([at ?? path])
  })
})

describe('a US state', () => {
  const fifty =
    'AK AL AR AZ CA CO CT DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY'
  it('is one of the fifty, the federal district or an inhabited territory, and nothing else', () => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
    const codes = letters.flatMap((first) => letters.map((second) => first + second))
    const taken = codes.filter((code) => usState.safeParse(code).success)
    expect(taken).toEqual([...fifty.split(' '), 'DC', 'AS', 'GU', 'MP', 'PR', 'VI'].toSorted())
  })
})

describe('an NDC', () => {
  it.each(['12345678901', '12345-6789-01', '1234-5678-90', '12345-678-90', '12345-6789-0'])('may be %s', (value) => {
    expect(ndc.safeParse(value).success).toBe(true)
  })
  it.each(['1234567890', '123456-789-01', '12345-678901', '12345 6789 01', ''])('may not be %j', (value) => {
    expect(ndc.safeParse(value).success).toBe(false)
  })
})

describe('an NCPDP id', () => {
  it.each<[value: string, isOne: boolean]>([
    ['0123456', true],
    ['123456', false],
    ['01234567', false],
    ['012345X', false],
  ])('%s is one: %s', (value, isOne) => {
    expect(ncpdpId.safeParse(value).success).toBe(isOne)
  })
})

describe('a provider lookup', () => {
  it('is by number or by name, never both', () => {
    const name = { first_name: 'Max', last_name: 'Muster', state: 'OR' }
    expect(ProviderLookupRequest.safeParse({ npi: '1234567893' }).success).toBe(true)
    expect(ProviderLookupRequest.safeParse(name).success).toBe(true)
    expect(ProviderLookupRequest.safeParse({ ...name, npi: '1234567893' }).success).toBe(false)
    for (const part of Object.keys(name))
      expect(ProviderLookupRequest.safeParse({ ...name, [part]: undefined }).success).toBe(false)
  })
})
