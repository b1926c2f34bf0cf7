import { defineHandler } from '#pawl'
import { listedSystem } from '../listed-system.ts'
import { rowOfBenefitVerification, rowOfPriorAuthorization } from './report-row.ts'
import type { Reports } from './report-table.ts'

/** Keeps a row for each PA and BV in a report table: status, outcome code and times, no patient data. */
export default defineHandler({
  name: 'report-rows-to-sql',
  on: [
    'prior_authorization.status_change',
    'prior_authorization.prescription_transfer_change',
    'benefit_verification.status_change',
  ],
  async handle(context) {
    const row =
      context.kind === 'prior_authorization'
        ? rowOfPriorAuthorization(context.resource)
        : rowOfBenefitVerification(context.resource)
    const toldAt = context.events.at(-1)?.receivedAt ?? new Date()
    // The compiler cannot see the systems that a fork lists.
    const reports = listedSystem(context, 'reports') as Reports
    await reports.putRow(row, toldAt)
  },
})
