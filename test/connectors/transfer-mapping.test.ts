import { describe, expect, it } from 'vitest'
import { toTransferTask } from '../../src/connectors/ehr/fhir/mapping/transfer-task.ts'
import { faultsOf } from '../support/fhir-validators.ts'
import { mappingContext } from '../support/mapping-context.ts'
import { samplePriorAuthorization, sampleTransfer } from '../support/samples.ts'

const context = mappingContext()
const { base } = context

describe('a prescription transfer', () => {
  for (const [status, taskStatus, errorCode] of [
    ['in_progress', 'in-progress'],
    ['awaiting_provider_response', 'on-hold'],
    ['completed', 'completed'],
    ['error', 'failed', 'transfer_timed_out'],
    ['cancelled', 'cancelled'],
    ['rerouted', 'in-progress'],
  ]) {
    it(`${status}: becomes a valid Task that is ${taskStatus}`, () => {
      const transfer = sampleTransfer({ status, error_code: errorCode ?? null })
      const task = toTransferTask(context, samplePriorAuthorization({ prescription_transfer: transfer }))
      expect(task && faultsOf(task)).toEqual([])
      expect(task).toMatchObject({
        identifier: [{ system: `${base}/prescription-transfer`, value: 'pa_req_1' }],
        partOf: [{ identifier: { system: `${base}/prior-authorization`, value: 'pa_req_1' } }],
        status: taskStatus,
        businessStatus: { text: status },
        code: { coding: [{ code: 'fulfill' }], text: 'Prescription transfer' },
        owner: { identifier: { value: '7654321' } },
      })
      expect(task?.statusReason).toEqual(errorCode === undefined ? undefined : { text: errorCode })
    })
  }

  it('lists its confirmation and every attempt', () => {
    const transfer = sampleTransfer({
      confirmed: true,
      confirmation_attempts: [{ timestamp: '2026-03-02T10:00:00', outcome: 'success' }, { outcome: 'failed' }],
    })
    const task = toTransferTask(context, samplePriorAuthorization({ prescription_transfer: transfer }))
    expect(task && faultsOf(task)).toEqual([])
    expect(task?.output).toEqual([
      { type: { text: 'Confirmed' }, valueBoolean: true },
      { type: { text: 'Transfer attempt to 7654321' }, valueDateTime: '2026-03-01T10:00:00.000Z' },
      { type: { text: 'Confirmation attempt: success' }, valueDateTime: '2026-03-02T10:00:00.000Z' },
      { type: { text: 'Confirmation attempt: failed' }, valueString: 'at an unknown time' },
    ])
  })

  it('before its first attempt belongs to the preferred pharmacy', () => {
    const transfer = sampleTransfer({ transfer_attempts: [] })
    const task = toTransferTask(context, samplePriorAuthorization({ prescription_transfer: transfer }))
    expect(task?.owner?.identifier?.value).toBe('1234567')
  })

  it('that does not exist becomes nothing', () => {
    expect(toTransferTask(context, samplePriorAuthorization())).toBeUndefined()
  })
})
