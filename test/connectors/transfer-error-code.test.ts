import { expect, it } from 'vitest'
import { toTransferTask } from '../../src/connectors/ehr/fhir/mapping/transfer-task.ts'
import { systemClock } from '../../src/base/clock.ts'
import { tellTransfer } from '../../src/connectors/pharmacy/tell-transfer.ts'
import type { TransferNotice } from '../../src/connectors/pharmacy/transfer-notice.ts'
import { createTestRun } from '../support/run-context.ts'
import { mappingContext } from '../support/mapping-context.ts'
import { samplePriorAuthorization, sampleTransfer } from '../support/samples.ts'

it.each([
  ['transfer_timed_out', 'transfer_timed_out'],
  ['struck_by_lightning', 'other'],
])('the pharmacy is told %s as %s', async (error_code, told) => {
  const prescription_transfer = sampleTransfer({ status: 'error', error_code })
  const notices: TransferNotice[] = []
  const pa = samplePriorAuthorization({ prescription_transfer })
  await tellTransfer(pa, createTestRun(), {
    clock: systemClock,
    send: async (notice) => void notices.push(notice),
  })
  expect(notices.map(({ data }) => data.error_code)).toEqual([told])
})

it.each(['transfer_timed_out', 'struck_by_lightning'])('the chart shows %s as it came', (error_code) => {
  const prescription_transfer = sampleTransfer({ status: 'error', error_code })
  const task = toTransferTask(mappingContext(), samplePriorAuthorization({ prescription_transfer }))
  expect(task?.statusReason).toEqual({ text: error_code })
})
