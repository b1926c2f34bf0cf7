import { defineHandler, PawlError, type PriorAuthorization, type Retry } from '../../../../../src/index.ts'
import { EhrWriteFailed } from '@pawl/ehr'

/** Wrong: names the patient in the error of a refused write, which the log and the status show. */
export const handler = defineHandler({
  name: 'prior-authorization-to-ehr',
  on: [
    'prior_authorization.status_change',
    'prior_authorization.prescription_transfer_change',
    'prior_authorization.real_time_benefits_check_change',
  ],
  async handle({ resource, ehr }) {
    try {
      await ehr.putPriorAuthorization(resource)
    } catch (error) {
      throw error instanceof EhrWriteFailed ? new ChartRefused(resource, error) : error
    }
  },
})

/** The chart did not take a PA; says whose, so that staff can enter it by hand. */
class ChartRefused extends PawlError {
  readonly code = 'chart_refused'
  override readonly retry: Retry
  override readonly isOutage: boolean
  constructor({ patient }: PriorAuthorization, cause: EhrWriteFailed) {
    const name = [patient?.first_name, patient?.last_name].join(' ')
    super(`The chart of ${name}, born ${patient?.date_of_birth}, did not take the request: ${cause.message}`, { cause })
    this.retry = cause.retry
    this.isOutage = cause.isOutage
  }
}
