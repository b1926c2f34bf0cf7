import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createApi } from '../../src/api/client.ts'
import { drop, json, ok, type ScriptedService, refused, startScriptedService, text, token } from './scripted-service.ts'
import {
  benefitVerificationRequest,
  clinicalQualificationRequest,
  priorAuthorizationRequest,
} from './client-requests.ts'

let service: ScriptedService
let created: string[]
beforeEach(async () => {
  created = []
  service = await startScriptedService({ onCreated: (kind, id) => void created.push(`${kind} ${id}`) })
})
afterEach(() => service[Symbol.asyncDispose]())

describe('a create', () => {
  it('sends the request as it is, returns the id and reports PAs and BVs', async () => {
    service.play(ok({ id: 'new_1' }))
    expect((await service.api.createPriorAuthorization(priorAuthorizationRequest)).id).toBe('new_1')
    expect((await service.api.createBenefitVerification(benefitVerificationRequest)).id).toBe('new_1')
    expect((await service.api.createClinicalQualification(clinicalQualificationRequest)).id).toBe('new_1')
    expect(service.seen.map(({ method, path, body }) => ({ method, path, body }))).toEqual([
      { method: 'POST', path: '/prior-authorization', body: priorAuthorizationRequest },
      { method: 'POST', path: '/benefit-verification', body: benefitVerificationRequest },
      { method: 'POST', path: '/clinical-qualification', body: clinicalQualificationRequest },
    ])
    expect(created).toEqual(['prior_authorization new_1', 'benefit_verification new_1'])
  })

  it('carries the first state of a provider outreach, from either level of the answer', async () => {
    const outreach = { state: 'created' }
    for (const body of [
      { data: { id: 'x', provider_outreach: outreach } },
      { data: { id: 'x' }, provider_outreach: outreach },
    ]) {
      service.play(json(200, { status: 'success', ...body }))
      expect(await service.api.createPriorAuthorization(priorAuthorizationRequest)).toEqual({
        id: 'x',
        provider_outreach: outreach,
      })
    }
  })

  it.each([200, 201, 202, 299])('is a success with any 2xx, such as %d', async (status) => {
    service.play(json(status, { status: 'success', data: { id: 'pa_req_1' } }))
    expect((await service.api.createPriorAuthorization(priorAuthorizationRequest)).id).toBe('pa_req_1')
  })

  it('still returns the id when onCreated fails', async () => {
    await using other = await startScriptedService({ onCreated: () => Promise.reject(new Error('ledger gone')) })
    other.play(ok({ id: 'pa_req_9' }))
    expect(await other.api.createPriorAuthorization(priorAuthorizationRequest)).toMatchObject({ id: 'pa_req_9' })
  })

  it.each([
    ['a dropped connection', drop],
    ['a 500', refused(500, 'unexpected_error')],
    ['an answer without an id', ok({})],
    ['an empty answer', text(200, '')],
  ])('is not repeated after %s: it may exist', async (_name, trouble) => {
    service.play(trouble)
    await expect(service.api.createPriorAuthorization(priorAuthorizationRequest)).rejects.toMatchObject({
      code: 'api_outcome_unknown',
      retry: 'never',
    })
    expect(service.seen).toHaveLength(1)
    expect(created).toEqual([])
  })

  it('that breaks the rules is not sent, and every fault is named with its place and without its value', async () => {
    const { insurance_content: _, ...uninsured } = priorAuthorizationRequest
    const broken = {
      ...uninsured,
      patient: { ...priorAuthorizationRequest.patient, date_of_birth: 'canary', nickname: 'canary' },
      prescription: { ...priorAuthorizationRequest.prescription, quantity: 1.5 },
    }
    const call = service.api.createPriorAuthorization(broken)
    await expect(call).rejects.toMatchObject({ code: 'request_invalid', retry: 'never', httpStatus: undefined })
    const error: unknown = await call.catch((thrown: unknown) => thrown)
    const { message } = error instanceof Error ? error : { message: '' }
    for (const words of [
      'body.patient.date_of_birth: Invalid ISO date',
      'body.patient.?: Extra inputs are not permitted',
      'body.prescription.quantity: Invalid input: expected int',
      'body: at least one of insurance, insurance_content is required',
    ])
      expect(message).toContain(words)
    expect(message).not.toMatch(/extra_forbidden|value_error|_type|canary/)
    expect(error).toHaveProperty(
      'faults',
      expect.arrayContaining(
        [
          ['body', 'patient', 'date_of_birth'],
          ['body', 'patient', 'nickname'],
          ['body', 'prescription', 'quantity'],
        ].map((loc) => expect.objectContaining({ loc })),
      ),
    )
    expect(String(error)).not.toContain('canary')
    expect(service.seen).toHaveLength(0)
  })
})

describe('the other writes', () => {
  it('cancel a benefit verification, again while it is busy', async () => {
    service.play(refused(503, 'resource_busy'), text(204, ''))
    await service.api.cancelBenefitVerification('bv_1')
    expect(service.seen.map((request) => request.path)).toEqual(Array(2).fill('/benefit-verification/bv_1/cancel'))
    service.play(refused(503, 'resource_busy'))
    await expect(service.api.cancelBenefitVerification('bv_1')).rejects.toMatchObject({
      code: 'resource_busy',
      retry: 'backoff',
    })
    expect(service.seen).toHaveLength(5)
  })

  it('do not repeat a cancel that may have been carried out, and say that it is harmless to', async () => {
    service.play(refused(500, 'unexpected_error'))
    await expect(service.api.cancelBenefitVerification('bv_1')).rejects.toMatchObject({
      code: 'api_outcome_unknown',
      retry: 'backoff',
      message: expect.stringContaining('sending it again is harmless'),
    })
    expect(service.seen).toHaveLength(1)
  })

  it('leave a busy resource alone where nothing is promised', async () => {
    service.play(refused(503, 'resource_busy'))
    await expect(service.api.cancelPriorAuthorization('pa_req_1', 'x')).rejects.toMatchObject({ code: 'resource_busy' })
    expect(service.seen).toHaveLength(1)
  })

  it('send feedback, which may be stored twice when repeated', async () => {
    service.play(json(201, { status: 'success' }))
    await service.api.sendFeedback('pa_req_1', { category: 'speed', message: 'fine' })
    expect(service.seen[0]).toMatchObject({
      path: '/prior-authorization/pa_req_1/feedback',
      body: { category: 'speed', message: 'fine' },
    })
    service.play(drop)
    await expect(service.api.sendFeedback('pa_req_1', { category: 'a', message: 'b' })).rejects.toMatchObject({
      code: 'api_outcome_unknown',
      retry: 'never',
    })
  })

  it('refuse an empty reason and a pharmacy id that is none before sending', async () => {
    await expect(service.api.cancelPriorAuthorization('pa_req_1', '')).rejects.toMatchObject({
      faults: [{ loc: ['body', 'cancellation_reason'] }],
    })
    await expect(service.api.updatePreferredPharmacy('pa_req_1', '123')).rejects.toMatchObject({
      faults: [{ loc: ['body', 'preferred_pharmacy_ncpdp_id'] }],
    })
    expect(service.seen).toHaveLength(0)
  })

  it('enroll a patient at the host that takes enrollments, with the same token', async () => {
    const enrollment = { patient: { first_name: 'Testa', last_name: 'Sample' }, programId: 'program-1' }
    await expect(service.api.enrollPatient(enrollment)).rejects.toThrow(TypeError)
    const api = createApi({ baseUrl: 'http://127.0.0.1:9', enrollmentBaseUrl: `${service.baseUrl}/enroll/`, token })
    service.play(text(200, ''))
    expect(await api.enrollPatient(enrollment)).toBeUndefined()
    service.play(json(200, { anything: 1 }))
    expect(await api.enrollPatient(enrollment)).toEqual({ anything: 1 })
    expect(service.seen[0]).toMatchObject({ path: '/enroll/patient-enrollment', body: enrollment })
    expect(service.seen[0]?.headers.authorization).toBe(`Bearer ${token}`)
  })
})

describe('providers', () => {
  it.each([
    ['in an envelope', (list: unknown) => ok(list)],
    ['bare', (list: unknown) => json(200, list)],
  ])('that have signed are listed, %s, and unreadable ones are skipped', async (_name, answer) => {
    service.play(answer([{ npi: '1', signed_at: '2026-01-01' }, 'strange']))
    expect(await service.api.getAuthorizedProviders()).toMatchObject([{ npi: '1' }])
  })

  it('are looked up, bare or in an envelope', async () => {
    service.play(json(200, { status: 'active', individual: { npi: '1' } }))
    expect(await service.api.lookUpProvider({ npi: '1' })).toMatchObject({ status: 'active', individual: { npi: '1' } })
    service.play(ok({ status: 'search_results', candidates: [{ npi: '2' }] }))
    const found = await service.api.lookUpProvider({ first_name: 'Max', last_name: 'Muster', state: 'OR' })
    expect(found).toMatchObject({ status: 'search_results', candidates: [{ npi: '2' }] })
  })
})
