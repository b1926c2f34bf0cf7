import { expect, it } from 'vitest'
import { toTransferTask } from '../../src/connectors/ehr/fhir/transfer-task.ts'
import { toTransferNotice } from '../../src/connectors/pharmacy/transfer-notice.ts'
import { samplePriorAuthorization, sampleTransfer } from '../support/samples.ts'

it.each([
  ['transfer_timed_out', 'transfer_timed_out'],
  ['struck_by_lightning', 'other'],
])('the pharmacy is told %s as %s', (error_code, told) => {
  const prescription_transfer = sampleTransfer({ status: 'error', error_code })
  const notice = toTransferNotice(samplePriorAuthorization({ prescription_transfer }))
  expect(notice?.data.error_code).toBe(told)
})

it.each(['transfer_timed_out', 'struck_by_lightning'])('the chart shows %s as it came', (error_code) => {
  const prescription_transfer = sampleTransfer({ status: 'error', error_code })
  const task = toTransferTask('https://pawl.example', samplePriorAuthorization({ prescription_transfer }))
  expect(task?.statusReason).toEqual({ text: error_code })
})
