import { describe, expect, it } from 'vitest'
import {
  benefitVerificationErrorCodes,
  benefitVerificationErrorDetailCodes,
} from '../../client/src/schemas/benefit-verification-errors.ts'
import { transferErrorCodes } from '../../client/src/schemas/outcome.ts'
import type { PrescriptionTransfer } from '../../client/src/schemas/prior-authorization.ts'
import { control, startSandbox, startWebhook } from './play.ts'
import { benefitVerification, clinicalQualification, ndpSubmission, paStatus, priorAuthorization } from './requests.ts'

async function startWith(path: string, body: object) {
  const { webhook, receiver } = await startWebhook()
  const started = await startSandbox({ organizations: [{ id: 'org_a', webhooks: [webhook] }] })
  const id = await started.create(path, body)
  const push = (request: object) => control(started.sandbox, 'post', `/resources/${id}/push`, request)
  const read = () => started.read(`${path}/${id}`)
  return { ...started, id, push, read, receiver }
}

describe('a push', () => {
  it('answers with the new status and the emitted events', async () => {
    const { id, push, sandbox } = await startWith('/prior-authorization', priorAuthorization())
    const { body } = await push({ status: 'processing' }).expect(200)
    const [delivery] = sandbox.controls.deliveries().slice(-1)
    expect(body.data).toEqual({
      id,
      status: 'processing',
      events: [{ type: 'prior_authorization.status_change', resource_id: id, delivery_ids: [delivery?.id] }],
    })
    // No webhook subscribed to the activity log.
    const next = (await push({ status: 'awaiting_outcome' }).expect(200)).body.data
    expect(next.events).toMatchObject([
      { type: 'prior_authorization.status_change', delivery_ids: [expect.any(Number)] },
      { type: 'prior_authorization.activity_log_updated', delivery_ids: [] },
    ])
    const cancelled = await control(sandbox, 'post', `/resources/${id}/cancel`).expect(200)
    expect(cancelled.body.data).toMatchObject({ id, status: 'cancelled', events: [{ resource_id: id }] })
  })

  it("of a BV sets any documented error, with the code's title and detail", async () => {
    for (const [index, code] of benefitVerificationErrorCodes.entries()) {
      const { push, read } = await startWith('/benefit-verification', benefitVerification())
      const detail_code = benefitVerificationErrorDetailCodes[index]
      const { body } = await push({ status: 'failed', error: { code, detail_code, message: 'Said so.' } }).expect(200)
      expect(body.data).toMatchObject({ status: 'failed', events: [{ type: 'benefit_verification.status_change' }] })
      const detail_message = expect.any(String)
      expect((await read()).error).toEqual({ title: code, code, detail_code, message: 'Said so.', detail_message })
    }
  })

  it('of a BV sets the results of all drugs or of single ones', async () => {
    const drugs = [{ name: 'Examplumab' }, { name: 'Samplomab' }]
    const { push, read, receiver } = await startWith('/benefit-verification', benefitVerification({ drugs }))
    await push({
      status: 'completed',
      case: 'drugs_covered__prior_auth_not_required__no_copay',
      drugs: [{}, { coverage_detail_code: 'quantity_limit_pa_required', copay: '$12.00' }],
      patient_coverage_type: 'tricare',
      pharmacy_benefit_manager_name: 'Another Manager',
    }).expect(200)
    const shown = await read()
    expect(shown).toMatchObject({
      status: 'completed',
      patient_coverage_type: 'tricare',
      pharmacy_benefit_manager_name: 'Another Manager',
      drugs: [
        { prior_authorization_required: 'no', copay: null, coverage_detail_code: 'insurer_reported_value' },
        { prior_authorization_required: 'no', copay: '$12.00', coverage_detail_code: 'quantity_limit_pa_required' },
      ],
    })
    await expect
      .poll(() => receiver.received.map(({ envelope }) => envelope.data), { timeout: 30_000 })
      .toEqual([shown])
  })

  it("of a clinical qualification sets each drug's result, repeatedly", async () => {
    const { push, read } = await startWith('/clinical-qualification', clinicalQualification())
    const reasons = [{ description: 'Another drug comes first.' }]
    const results = [{ status: 'unqualified', unqualified_reasons: reasons }]
    expect((await push({ status: 'evaluated', results }).expect(200)).body.data).toMatchObject({
      status: 'evaluated',
      events: [],
    })
    expect((await read()).results).toMatchObject([{ status: 'unqualified', unqualified_reasons: reasons }])
    for (const status of ['unknown', 'pending', 'qualified']) {
      await push({ status: 'evaluated', results: [{ status }] }).expect(200)
      expect((await read()).results).toMatchObject([{ status, unqualified_reasons: [] }])
    }
  })

  it('of a PA status check sets its finding or its failure reason', async () => {
    const found = [
      {
        status: 'denied',
        drug: { name: 'Examplumab' },
        authorization_start_date: null,
        authorization_expiration: '2027-01-01',
      },
    ]
    const one = await startWith('/pa-status', paStatus())
    await one.push({ status: 'completed', prior_authorizations: found }).expect(200)
    expect(await one.read()).toMatchObject({ status: 'completed', prior_authorizations: found })
    const other = await startWith('/pa-status', paStatus())
    await other.push({ status: 'failed', failure_reason: 'portal_down' }).expect(200)
    expect(await other.read()).toMatchObject({ status: 'failed', failure_reason: 'portal_down' })
  })

  it("of a PA sets a denial's client code, and can repeat a benefits check", async () => {
    const request = priorAuthorization({ ndp_submission: ndpSubmission })
    const { id, push, read, sandbox } = await startWith('/prior-authorization', request)
    const check = (body: object = {}) => control(sandbox, 'post', `/prior-authorization/${id}/benefits-check`, body)
    const first = (await check().expect(200)).body.data
    expect(first).toMatchObject({
      id,
      state: 'completed',
      events: [{ type: 'prior_authorization.real_time_benefits_check_change' }],
    })
    const before = (await read()).real_time_benefits_check_response
    await check({ response: { patient_cost: '$1.00', alternatives: [] } }).expect(200)
    const second = (await read()).real_time_benefits_check_response
    expect(second).toMatchObject({ patient_cost: '$1.00', alternatives: [] })
    await check().expect(200)
    expect((await read()).real_time_benefits_check_response).not.toEqual(before)

    for (const status of ['processing', 'awaiting_outcome']) await push({ status }).expect(200)
    const outcome = { result: 'Denied', detail_code: 'plan_exclusion', client_code: 'C-7' }
    await push({ status: 'completed', outcome }).expect(200)
    expect((await read()).outcome).toMatchObject(outcome)
  })

  it('of an ended PA to its own status changes the outcome, and the last day of an approval', async () => {
    const { push, read } = await startWith('/prior-authorization', priorAuthorization())
    const approval = { result: 'Approved', detail_code: 'approval' }
    for (const status of ['processing', 'awaiting_outcome']) await push({ status }).expect(200)
    const complete = (outcome?: object) => push({ status: 'completed', outcome })
    await complete(approval).expect(200)
    const { outcome: first } = await read()
    await complete({ ...approval, authorization_expiration: '2031-05-06' }).expect(200)
    expect((await read()).outcome).toEqual({ ...first, authorization_expiration: '2031-05-06' })
    const { body } = await complete({ result: 'Denied' }).expect(200)
    expect(body.data).toMatchObject({ status: 'completed', events: [{ type: 'prior_authorization.status_change' }] })
    expect(await read()).toMatchObject({
      outcome: { result: 'Denied' },
      out_of_pocket_costs: [],
      denial_reason_analysis: { categories: ['medical_necessity_criteria_not_met'] },
    })
    await complete({ result: 'Denied', authorization_expiration: '2031-05-06' }).expect(409)
    await complete({ result: 'Not Submitted' }).expect(409)
    await complete().expect(409)
  })

  it.each(transferErrorCodes)('of a transfer lets it fail with %s', async (error_code) => {
    const request = priorAuthorization({ ndp_submission: ndpSubmission })
    const { id, push, read, sandbox } = await startWith('/prior-authorization', request)
    for (const status of ['processing', 'awaiting_outcome', 'completed']) await push({ status }).expect(200)
    const transfer = (body: object) => control(sandbox, 'post', `/prior-authorization/${id}/transfer`, body)
    const early = await transfer({ state: 'attempted', error_code }).expect(409)
    expect(early.body.error).toMatchObject({ code: 'result_does_not_fit', legal: ['pharmacy_ncpdp_id'] })
    await transfer({ state: 'attempted' }).expect(200)
    const { body } = await transfer({ state: 'error', error_code }).expect(200)
    expect(body.data).toMatchObject({ id, state: 'error', events: [{ resource_id: id }] })
    expect((await read()).prescription_transfer).toMatchObject({ status: 'error', error_code })
  })

  it('of a transfer sends an attempt to another pharmacy', async () => {
    const request = priorAuthorization({ ndp_submission: ndpSubmission })
    const { id, push, read, sandbox } = await startWith('/prior-authorization', request)
    for (const status of ['processing', 'awaiting_outcome', 'completed']) await push({ status }).expect(200)
    const transfer = (body: object) => control(sandbox, 'post', `/prior-authorization/${id}/transfer`, body)
    await transfer({ state: 'attempted', pharmacy_ncpdp_id: 'here' }).expect(422)
    await transfer({ state: 'attempted' }).expect(200)
    await transfer({ state: 'reattempted', pharmacy_ncpdp_id: '7654321' }).expect(200)
    const { transfer_attempts: attempts } = (await read()).prescription_transfer as PrescriptionTransfer
    expect(attempts?.map(({ pharmacy_ncpdp_id }) => pharmacy_ncpdp_id)).toEqual([
      ndpSubmission.preferred_pharmacy_ncpdp_id,
      '7654321',
    ])
  })

  it.each([
    ['/benefit-verification', { status: 'completed', error: { code: 'Internal Error' } }, 409, 'drugs'],
    ['/benefit-verification', { status: 'failed', case: 'reverification__existing_pa' }, 409, 'error'],
    ['/benefit-verification', { status: 'failed', error: { code: 'Nonsense' } }, 422, '"Patient Not Found"'],
    ['/benefit-verification', { status: 'completed', case: 'patient_consent_required' }, 422, 'existing_pa'],
    ['/benefit-verification', { status: 'ended' }, 409, 'completed'],
    ['/benefit-verification', { status: 'completed', outcome: {} }, 422, 'pharmacy_benefit_manager_name'],
    ['/prior-authorization', { status: 'failed', outcome: { result: 'Denied' } }, 409, 'Other coverage_inactive'],
    ['/prior-authorization', { status: 'failed', outcome: { result: 'No' } }, 422, '"Denied"'],
    ['/prior-authorization', { status: 'failed', error: {} }, 422, 'outcome'],
    ['/clinical-qualification', { status: 'evaluated', results: [{ status: 'maybe' }] }, 422, '"unknown"'],
    ['/clinical-qualification', { status: 'done' }, 409, 'evaluated'],
    ['/pa-status', { status: 'failed', prior_authorizations: [] }, 409, 'failure_reason'],
    ['/pa-status', { state: 'failed' }, 422, 'Field required'],
    ['/prior-authorization', { staus: 'processing' }, 422, 'No such field; use one of: status'],
  ] as const)('of %s with %j is refused with %i and the legal values', async (path, body, code, legal) => {
    const bodies = {
      '/benefit-verification': benefitVerification(),
      '/prior-authorization': priorAuthorization(),
      '/clinical-qualification': clinicalQualification(),
      '/pa-status': paStatus(),
    }
    const { push, read } = await startWith(path, bodies[path])
    const before = await read()
    const answer = await push(body).expect(code)
    expect(
      JSON.parse(answer.text)
        .detail?.map(({ msg }: { msg: string }) => msg)
        .join() ?? answer.text,
    ).toContain(legal)
    expect({ ...before, insurance: [] }).toEqual({ ...(await read()), insurance: [] })
  })
})

describe('the truth', () => {
  it('holds every kind, as its GET shows it', async () => {
    const { sandbox, create, call, read } = await startSandbox({ organizations: [{ id: 'org_a', pharmacy: true }] })
    const fax = { ...priorAuthorization().provider, fax: '5551230000' }
    const outreach = { provider: fax, provider_outreach: { enabled: true }, mock_result: undefined }
    const cq = await create('/clinical-qualification', clinicalQualification())
    const check = await create('/pa-status', paStatus())
    const pa = await create('/prior-authorization', priorAuthorization(outreach))
    await create('/benefit-verification', benefitVerification())
    const { first_name, last_name, npi } = benefitVerification().provider
    await call('post', '/provider/authorize', { first_name, last_name, npi }).expect(200)
    const { data } = (await control(sandbox, 'get', '/truth').expect(200)).body
    expect(Object.entries<unknown[]>(data).map(([kind, list]) => [kind, list.length])).toEqual([
      ['prior_authorizations', 1],
      ['benefit_verifications', 1],
      ['clinical_qualifications', 1],
      ['pa_statuses', 1],
      ['provider_outreaches', 2],
      ['provider_authorizations', 1],
      ['patient_enrollments', 0],
    ])
    expect(data.clinical_qualifications[0]).toMatchObject({ id: cq, object: 'clinical_qualification' })
    expect(data.pa_statuses).toEqual([await read(`/pa-status/${check}`)])
    expect(data.provider_outreaches).toMatchObject([{ prior_authorization_id: pa }, { prior_authorization_id: pa }])
    expect(data.provider_authorizations).toMatchObject([{ npi, signed_at: null }])
    const none = await control(sandbox, 'post', '/resources/nothing/push', { status: 'x' }).expect(404)
    expect(none.body.error).toMatchObject({ code: 'unknown_resource' })
    const uncancelled = await control(sandbox, 'post', `/resources/${cq}/cancel`).expect(409)
    expect(uncancelled.body.error.code).toBe('cannot_be_cancelled')
  })
})
