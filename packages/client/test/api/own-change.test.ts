import { expect, it } from 'vitest'
import type { OwnChange } from '../../src/api/own-change.ts'
import { drop, json, ok, refused, startScriptedService } from './scripted-service.ts'

const done = json(200, { status: 'success' })

it('each change that a call asks for is told before the call is sent', async () => {
  const told: (OwnChange & { sent: number })[] = []
  await using service = await startScriptedService({
    onChange: (change) => void told.push({ ...change, sent: service.seen.length }),
  })
  service.play(done)
  await service.api.cancelPriorAuthorization('pa_req_1', 'no longer needed')
  await service.api.cancelPrescriptionTransfer('pa_req_1')
  service.play(ok({ preferred_pharmacy_ncpdp_id: '0123456' }))
  await service.api.updatePreferredPharmacy('pa_req_1', '0123456')
  service.play(done)
  await service.api.cancelBenefitVerification('bv_1')
  await service.api.sendFeedback('pa_req_1', { category: 'speed', message: 'fine' })
  expect(told).toEqual([
    { name: 'cancel', id: 'pa_req_1', sent: 0 },
    { name: 'cancel_transfer', id: 'pa_req_1', sent: 1 },
    { name: 'change_pharmacy', id: 'pa_req_1', value: '0123456', sent: 2 },
    { name: 'cancel', id: 'bv_1', sent: 3 },
  ])
})

it('a change that was refused is taken back, one of unknown outcome is not', async () => {
  const takenBack: string[] = []
  await using service = await startScriptedService({
    onChange:
      ({ id }) =>
      () =>
        void takenBack.push(id),
  })
  service.play(json(400, { detail: 'It has ended.' }))
  await expect(service.api.cancelPriorAuthorization('pa_req_1', 'x')).rejects.toThrow()
  service.play(drop)
  await expect(service.api.cancelPriorAuthorization('pa_req_2', 'x')).rejects.toMatchObject({
    code: 'api_outcome_unknown',
  })
  service.play(done)
  await service.api.cancelPriorAuthorization('pa_req_3', 'x')
  expect(takenBack).toEqual(['pa_req_1'])
})

it('a call goes out, and fails as it would, even if noting it fails', async () => {
  await using service = await startScriptedService({ onChange: () => Promise.reject(new Error('ledger gone')) })
  service.play(done)
  await service.api.cancelPrescriptionTransfer('pa_req_1')
  expect(service.seen).toHaveLength(1)
  await using other = await startScriptedService({ onChange: () => () => Promise.reject(new Error('ledger gone')) })
  other.play(refused(404, 'not_found'))
  await expect(other.api.cancelPrescriptionTransfer('pa_req_1')).rejects.toMatchObject({ code: 'api_not_found' })
})
