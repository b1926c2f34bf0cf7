import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { content, files } from './files.ts'
import { asOrganization, startSandbox } from './play.ts'
import { benefitVerification, ndpSubmission, priorAuthorization } from './requests.ts'
import type { OrganizationSettings } from '../src/access/organization-request.ts'
import { documentedErrors, type ErrorCode } from '../../client/src/schemas/documented-errors.ts'
import { operations } from '../src/platform/operations.ts'
import { testValues } from '../src/platform/test-values.ts'

type Fields = Parameters<typeof priorAuthorization>[0]

const { patient, provider, prescription } = priorAuthorization()
const { mock_result: _, ...unmocked } = priorAuthorization()
const outreach = { provider_outreach: { enabled: true }, provider: { ...provider, fax: '555-0100' } }

async function refused(fields: Fields, organization: Partial<OrganizationSettings> = {}, asked = priorAuthorization()) {
  const { call } = await startSandbox({ organizations: [{ id: 'org_a', ...organization }] })
  const { status, body } = await call('post', '/prior-authorization', { ...asked, ...fields })
  return { status, code: body.error?.code }
}
const answer = (code: ErrorCode) => ({ status: documentedErrors[code][0], code })

describe('a body that cannot be read is refused with 422, the only form in the documents', () => {
  const send = async (path: string, body: string | Buffer, headers: Record<string, string> = {}) => {
    const { sandbox } = await startSandbox()
    const authorization = `Bearer ${await sandbox.issueToken()}`
    const type = { 'content-type': 'application/json' }
    const call = request(sandbox.app)
      .post(path)
      .set({ authorization, ...type, ...headers })
    return call.serialize((given) => given).send(body)
  }
  it.each<[string, string, string | Buffer, Record<string, string>, string]>([
    ['nested too deep', '/prior-authorization', '['.repeat(500), {}, 'body'],
    ['nested too deep for a control', '/_sandbox/clock', '['.repeat(500), {}, 'body'],
    ['of no known encoding', '/prior-authorization', '{}', { 'content-encoding': 'zstd-of-tomorrow' }, 'header'],
    ['of no known charset', '/benefit-verification', '{}', { 'content-type': 'application/json; charset=x' }, 'header'],
    ['that is not gzip as it says', '/provider/lookup', '{}', { 'content-encoding': 'gzip' }, 'body'],
  ])('%s', async (_name, path, body, headers, at) => {
    const answer = await send(path, body, headers)
    expect([answer.status, answer.body]).toMatchObject([422, { detail: [{ loc: [at], msg: expect.any(String) }] }])
  })
})

describe('the creation of a prior authorization is refused', () => {
  it.each<[ErrorCode, Fields]>([
    ['unsupported_drug', { prescription: { ...prescription, drug_name: testValues.unsupportedDrug[0] } as never }],
    ['insurance_content_invalid_rx_bin', { insurance_content: { rx_bin: testValues.unknownBin } }],
    [
      'insurance_card_member_id_ocr_failure',
      { insurance: [content(Buffer.concat([files.png, Buffer.from(testValues.cardWithoutMemberId)]))] },
    ],
    [
      'prescription_message_not_found',
      { ndp_submission: { ...ndpSubmission, prescription_message_id: testValues.unknownPrescription } },
    ],
    ['not_found', { resubmission_info: { previous_prior_auth_request_id: 'pa_req_none', note: 'x' } }],
    ['invalid_qle_resubmission', { quantity_limit_exception_reason: 'more' }],
  ])('with %s', async (code, fields) => {
    expect(await refused(fields)).toEqual(answer(code))
  })

  it.each(operations.find(({ method, route }) => method === 'POST' && route === '/prior-authorization')?.errors ?? [])(
    'with %s where the patient id asks for it',
    async (code) => {
      const asking = { ...patient, internal_id: `${testValues.refusal}${code}` }
      expect(await refused({ patient: asking })).toEqual(answer(code))
    },
  )

  it('for outreach without its preconditions', async () => {
    const pharmacy = { pharmacy: true }
    expect(await refused(outreach)).toEqual(answer('provider_outreach_not_supported'))
    expect(await refused({ ...outreach, provider }, pharmacy)).toEqual(answer('provider_outreach_fax_required'))
    for (const npi of ['1234567890', testValues.deactivatedNpi])
      expect(await refused({ ...outreach, provider: { ...outreach.provider, npi } }, pharmacy)).toEqual(
        answer('invalid_npi'),
      )
    expect(await refused(outreach, pharmacy)).toEqual(answer('provider_outreach_mock_result_conflict'))
    expect((await refused(outreach, pharmacy, unmocked)).status).toBe(200)
    expect((await refused({ provider_outreach: { enabled: false } })).status).toBe(200)
  })

  it('until the provider has signed, if the organization requires it', async () => {
    const settings = { id: 'org_a', requiresProviderAuthorization: true }
    const { sandbox, call } = await startSandbox({ organizations: [settings] })
    const { body } = await call('post', '/prior-authorization', priorAuthorization()).expect(403)
    expect(body.error.code).toBe('provider_not_authorized')
    const { first_name, last_name, npi } = provider
    await call('post', '/provider/authorize', { first_name, last_name, npi }).expect(200)
    await call('post', '/prior-authorization', priorAuthorization()).expect(403)
    sandbox.controls.signProvider(npi)
    await call('post', '/prior-authorization', priorAuthorization()).expect(200)
  })

  it('beyond the daily limits, until a day has passed', async () => {
    const { sandbox, call, create } = await startSandbox({
      organizations: [{ id: 'org_a', dailyPriorAuthLimit: 4, dailyNewPlanLimit: 2 }],
    })
    const plan = (payer_name: string) => priorAuthorization({ insurance_content: { payer_name } })
    for (const payer of ['A', 'B', 'A']) await create('/prior-authorization', plan(payer))
    const third = await call('post', '/prior-authorization', plan('C')).expect(429)
    expect(third.body.error.code).toBe('daily_prior_auth_request_new_plan_limit_reached')
    expect(third.headers['retry-after']).toBe('86400')
    await create('/prior-authorization', priorAuthorization({ insurance_content: { member_number: 'M-1' } }))
    const fifth = await call('post', '/prior-authorization', plan('A')).expect(429)
    expect(fifth.body.error.code).toBe('daily_prior_auth_request_limit_reached')
    const hour = 3_600_000
    sandbox.controls.setClock({ advanceMs: 23 * hour })
    const later = await call('post', '/prior-authorization', plan('D')).expect(429)
    expect(later.headers['retry-after']).toBe('3600')
    sandbox.controls.setClock({ speed: 60 })
    const sooner = await call('post', '/prior-authorization', plan('D')).expect(429)
    expect(Number(sooner.headers['retry-after'])).toBeLessThanOrEqual(60)
    sandbox.controls.setClock({ speed: 0, advanceMs: 2 * hour })
    await create('/prior-authorization', plan('D'))
  })

  it('for a plan whose BIN, payer or name the organization has not used before', async () => {
    const { sandbox, call, create } = await startSandbox({
      organizations: [{ id: 'org_a', dailyNewPlanLimit: 1 }, { id: 'org_b' }],
    })
    const known = { rx_bin: '610011', payer_name: 'A', plan_name: 'Basic' }
    const plan = (fields: object) => priorAuthorization({ insurance_content: { ...known, ...fields } })
    await create('/prior-authorization', plan({}))
    await create('/prior-authorization', plan({ rx_group: 'RX', member_number: 'M-2' }))
    const others = [{ rx_bin: '610012' }, { payer_name: 'B' }, { plan_name: 'Plus' }]
    const other = await asOrganization(sandbox, 'org_b')
    for (const fields of others) {
      await other.create('/prior-authorization', plan(fields))
      const { body } = await call('post', '/prior-authorization', plan(fields)).expect(429)
      expect(body.error.code).toBe('daily_prior_auth_request_new_plan_limit_reached')
    }
  })

  it('when another PA holds the prescription message, unless that one freed it or is resubmitted', async () => {
    const { sandbox, call, create } = await startSandbox()
    const request = (fields: Fields = {}) => priorAuthorization({ ndp_submission: ndpSubmission, ...fields })
    const first = await create('/prior-authorization', request())
    const { body } = await call('post', '/prior-authorization', request()).expect(409)
    expect(body.error).toMatchObject({
      code: 'prescription_message_already_linked',
      existing_prior_auth_request_id: first,
    })
    sandbox.controls.cancel(first)
    const second = await create('/prior-authorization', request({ mock_result: { result: 'Denied' } }))
    while (sandbox.controls.step() !== undefined);
    await call('post', '/prior-authorization', request()).expect(409)
    const again = { previous_prior_auth_request_id: second, note: 'more data' }
    await create('/prior-authorization', request({ resubmission_info: again }))
  })

  it.each([
    ['not_submitted', { result: 'Not Submitted' }],
    ['failed', { result: 'Other' }],
  ] as const)('no longer once the PA that holds the prescription message is %s', async (status, mock_result) => {
    const { sandbox, create, read } = await startSandbox()
    const request = priorAuthorization({ ndp_submission: ndpSubmission, mock_result })
    const first = await create('/prior-authorization', request)
    while (sandbox.controls.step() !== undefined);
    expect((await read(`/prior-authorization/${first}`)).status).toBe(status)
    await create('/prior-authorization', request)
  })

  it('as an appeal of a PA that went through the Medicare GLP-1 bridge', async () => {
    const { sandbox, call, create, read } = await startSandbox()
    const denied = { mock_result: { result: 'Denied' } } as const
    const bridge = { insurance_content: { plan_name: testValues.medicareBridge } }
    const bridged = await create('/prior-authorization', priorAuthorization({ ...denied, ...bridge }))
    const usual = await create('/prior-authorization', priorAuthorization(denied))
    while (sandbox.controls.step() !== undefined);
    const letter = { asset: content(files.pdf), title: 'Appeal', date_created: '2026-01-01T10:00:00Z' }
    const appeal = (id: string) =>
      priorAuthorization({
        resubmission_info: { previous_prior_auth_request_id: id },
        appeal_details: { appeal_letter: letter, is_urgent: true },
      })
    const { body } = await call('post', '/prior-authorization', appeal(bridged)).expect(400)
    expect(body.error.code).toBe('appeal_not_allowed')
    const id = await create('/prior-authorization', appeal(usual))
    expect(await read(`/prior-authorization/${id}`)).toMatchObject({
      is_appeal: true,
      resubmission_info: { previous_prior_auth_request_id: usual },
    })
  })

  it('as a quantity limit exception, unless the PA was approved or not required', async () => {
    const { sandbox, call, create } = await startSandbox()
    const mocks = [
      [{ result: 'Approved' }, { status: 200 }],
      [{ result: 'Other', detail_code: 'prior_auth_not_required' }, { status: 200 }],
      [{ result: 'Not Submitted', detail_code: 'benefit_verification_pa_not_required' }, { status: 200 }],
      [{ result: 'Not Submitted', detail_code: 'pbm_excluded' }, answer('invalid_qle_resubmission')],
      [{ result: 'Denied' }, answer('invalid_qle_resubmission')],
    ] as const
    for (const [mock_result, answered] of mocks) {
      const id = await create('/prior-authorization', priorAuthorization({ mock_result }))
      while (sandbox.controls.step() !== undefined);
      const info = { previous_prior_auth_request_id: id, note: 'x' }
      const reason = { quantity_limit_exception_reason: 'higher dose' }
      const inside = priorAuthorization({ resubmission_info: { ...info, ...reason } })
      const outside = priorAuthorization({ resubmission_info: info, ...reason })
      for (const request of [inside, outside]) {
        const { status, body } = await call('post', '/prior-authorization', request)
        expect({ status, code: body.error?.code }).toEqual(answered)
      }
    }
  })
})

describe('other calls are refused', () => {
  it.each([
    ['/benefit-verification', 'unexpected_error', benefitVerification],
    ['/benefit-verification', 'other', benefitVerification],
    [
      '/clinical-qualification',
      'other',
      (fields: object) => ({ patient, provider, drugs: [{ drug_name: 'x' }], ...fields }),
    ],
    ['/pa-status', 'other', (fields: object) => ({ patient, insurance_content: { member_number: 'M-1' }, ...fields })],
  ] as const)('%s with %s where the patient id asks for it', async (path, code, request) => {
    const { call } = await startSandbox()
    const asking = { patient: { ...patient, internal_id: `${testValues.refusal}${code}` } }
    const { body } = await call('post', path, request(asking)).expect(documentedErrors[code][0])
    expect(body).toMatchObject({ status: 'error', error: { code, title: expect.any(String) } })
  })

  it('cancelling a busy BV, without effect', async () => {
    const { sandbox, call, create, read } = await startSandbox()
    const path = `/benefit-verification/${await create('/benefit-verification', benefitVerification())}`
    for (const code of ['resource_busy', 'unexpected_error'] as const) {
      sandbox.controls.failNext({ operation: 'POST /benefit-verification/{id}/cancel', code })
      const { body } = await call('post', `${path}/cancel`).expect(documentedErrors[code][0])
      expect(body.error.code).toBe(code)
      expect((await read(path)).status).toBe('pending')
    }
    await call('post', `${path}/cancel`).expect(204)
  })
})
