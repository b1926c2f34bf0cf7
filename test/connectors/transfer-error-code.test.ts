import { expect, it } from 'vitest'
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
