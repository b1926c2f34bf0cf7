import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../../src/service/client/client.ts'
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts'
import {
  benefitVerificationRequest,
  clinicalQualificationRequest,
  priorAuthorizationRequest,
} from './client-requests.ts'

let sandbox: Sandbox
let api: Api
let address: string
beforeAll(async () => {
  sandbox = createSandbox({ speed: 10_000_000, seed: 7 })
  address = (await sandbox.listen()).url
  api = createApi({ baseUrl: address, token: await sandbox.issueToken(), sleep: () => new Promise(setImmediate) })
})
afterAll(() => sandbox.close())

describe('against the sandbox', () => {
  it('a prior authorization is created, followed to its end, and then refuses a cancellation', async () => {
    const request = {
      ...priorAuthorizationRequest,
      mock_result: { result: 'Approved', detail_code: 'approval' },
    } as const
    const { id } = await api.createPriorAuthorization(request)
    const ended = await api.waitForPriorAuthorization(id)
    expect(ended).toMatchObject({ id, status: 'completed', outcome: { result: 'Approved' } })
    expect(await api.readSnapshot('prior_authorization', id)).toMatchObject({ id, status: 'completed' })
    await api.sendFeedback(id, { category: 'other', message: 'clear' })
    await expect(api.cancelPriorAuthorization(id, 'too late')).rejects.toMatchObject({ code: 'not_allowed_in_state' })
  })

  it('a benefit verification is created and followed to its end', async () => {
    const { id } = await api.createBenefitVerification(benefitVerificationRequest)
    expect((await api.waitForBenefitVerification(id)).drugs).toHaveLength(3)
  })

  it('a benefit verification and a prior authorization are cancelled', async () => {
    const slow = createSandbox({ speed: 0.001, seed: 7 })
    try {
      const { url } = await slow.listen()
      const api = createApi({ baseUrl: url, token: await slow.issueToken() })
      const verification = await api.createBenefitVerification(benefitVerificationRequest)
      await api.cancelBenefitVerification(verification.id)
      expect(await api.getBenefitVerification(verification.id)).toMatchObject({ status: 'cancelled' })
      const authorization = await api.createPriorAuthorization(priorAuthorizationRequest)
      await api.cancelPriorAuthorization(authorization.id, 'drug changed')
      expect(await api.getPriorAuthorization(authorization.id)).toMatchObject({ status: 'cancelled' })
    } finally {
      await slow.close()
    }
  })

  it('a clinical qualification is created and read, and the service is up', async () => {
    const { id } = await api.createClinicalQualification(clinicalQualificationRequest)
    expect(await api.getClinicalQualification(id)).toMatchObject({ id, object: 'clinical_qualification' })
    expect((await api.getStatus()).message).toBeTypeOf('string')
  })

  it('a missing resource is not found, in either error shape', async () => {
    for (const call of [
      () => api.getPriorAuthorization('pa_req_none'),
      () => api.getBenefitVerification('bv_none'),
      () => api.getClinicalQualification('cq_none'),
      () => api.cancelPriorAuthorization('pa_req_none', 'x'),
      () => api.cancelBenefitVerification('bv_none'),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'api_not_found' })
    }
  })

  it('a wrong token is told as such', async () => {
    const stranger = createApi({ baseUrl: address, token: 'not-a-token' })
    await expect(stranger.getStatus()).rejects.toMatchObject({ code: 'api_unauthorized' })
  })
})
