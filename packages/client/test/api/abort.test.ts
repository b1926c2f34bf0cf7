import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../src/api/client.ts'
import type { Sleep } from '../../src/api/send.ts'
import type { CallOptions } from '../../src/api/request.ts'
import { type ScriptedService, refused, startScriptedService, token } from './scripted-service.ts'
import {
  benefitVerificationRequest,
  clinicalQualificationRequest,
  priorAuthorizationRequest,
} from './client-requests.ts'

const { patient } = clinicalQualificationRequest
const npi = '1234567893'

/** Every method of the API, called with the options alone left open; the compiler asks for one that is missing. Files are no part of the API: files.test.ts. */
const calls: Record<Exclude<keyof Api, 'downloadFile'>, (api: Api, options: CallOptions) => Promise<unknown>> = {
  getStatus: (api, options) => api.getStatus(options),
  readSnapshot: (api, options) => api.readSnapshot('benefit_verification', 'bv_1', options),
  createPriorAuthorization: (api, options) => api.createPriorAuthorization(priorAuthorizationRequest, options),
  getPriorAuthorization: (api, options) => api.getPriorAuthorization('pa_req_1', options),
  waitForPriorAuthorization: (api, options) => api.waitForPriorAuthorization('pa_req_1', options),
  cancelPriorAuthorization: (api, options) => api.cancelPriorAuthorization('pa_req_1', 'drug changed', options),
  sendFeedback: (api, options) => api.sendFeedback('pa_req_1', { category: 'speed', message: 'fine' }, options),
  updatePreferredPharmacy: (api, options) => api.updatePreferredPharmacy('pa_req_1', '1234567', options),
  cancelPrescriptionTransfer: (api, options) => api.cancelPrescriptionTransfer('pa_req_1', options),
  createBenefitVerification: (api, options) => api.createBenefitVerification(benefitVerificationRequest, options),
  getBenefitVerification: (api, options) => api.getBenefitVerification('bv_1', options),
  waitForBenefitVerification: (api, options) => api.waitForBenefitVerification('bv_1', options),
  cancelBenefitVerification: (api, options) => api.cancelBenefitVerification('bv_1', options),
  createClinicalQualification: (api, options) => api.createClinicalQualification(clinicalQualificationRequest, options),
  getClinicalQualification: (api, options) => api.getClinicalQualification('cq_1', options),
  authorizeProvider: (api, options) => api.authorizeProvider({ npi, first_name: 'Max', last_name: 'Muster' }, options),
  getAuthorizedProviders: (api, options) => api.getAuthorizedProviders(options),
  lookUpProvider: (api, options) => api.lookUpProvider({ npi }, options),
  enrollPatient: (api, options) =>
    api.enrollPatient({ patient: { first_name: 'Testa', last_name: 'Sample' }, programId: 'program-1' }, options),
  createPaStatusCheck: (api, options) =>
    api.createPaStatusCheck({ patient, insurance_content: { member_number: 'M-1' } }, options),
  getPaStatusCheck: (api, options) => api.getPaStatusCheck('check_1', options),
}
const each = Object.entries(calls)
const isRead = (name: string) => /^(get|read|waitFor)/.test(name)

let service: ScriptedService
let api: Api
let controller: AbortController
beforeEach(async () => {
  controller = new AbortController()
  service = await startScriptedService()
  const { baseUrl } = service
  const sleep: Sleep = async (_ms, signal) => {
    controller.abort('enough')
    signal?.throwIfAborted()
  }
  api = createApi({ baseUrl, enrollmentBaseUrl: baseUrl, token, sleep })
})
afterEach(() => service[Symbol.asyncDispose]())

describe('an aborted signal', () => {
  it.each(each)('keeps %s from sending anything, and gives its reason', async (_name, call) => {
    await expect(call(api, { signal: AbortSignal.abort('enough') })).rejects.toBe('enough')
    expect(service.seen).toHaveLength(0)
  })

  it.each(each)('ends %s while it waits for another attempt, and gives its reason', async (_name, call) => {
    service.play(refused(429, 'rate_limit_exceeded', {}, { 'retry-after': '2' }))
    await expect(call(api, { signal: controller.signal })).rejects.toBe('enough')
    expect(service.seen).toHaveLength(1)
  })

  it.each(each.filter(([name]) => isRead(name)))(
    'ends %s while it is on its way, and gives its reason',
    async (_name, call) => {
      service.play(() => controller.abort('enough'))
      await expect(call(api, { signal: controller.signal })).rejects.toBe('enough')
      expect(service.seen).toHaveLength(1)
    },
  )

  it.each(each.filter(([name]) => !isRead(name)))(
    'ends %s while it is on its way, and says that its outcome is unknown',
    async (_name, call) => {
      service.play(() => controller.abort('enough'))
      const unknown = { code: 'api_outcome_unknown', reason: 'aborted' }
      await expect(call(api, { signal: controller.signal })).rejects.toMatchObject(unknown)
      expect(service.seen).toHaveLength(1)
    },
  )
})
