import { defineHandler, type PriorAuthorization } from '../../../../../src/index.ts'

const clinicDay = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Chicago' })

/** Wrong: reads dates without a time as UTC midnight, so the clinic's time zone makes them the day before. */
export const handler = defineHandler({
  name: 'prior-authorization-to-ehr',
  on: [
    'prior_authorization.status_change',
    'prior_authorization.prescription_transfer_change',
    'prior_authorization.real_time_benefits_check_change',
  ],
  async handle({ resource, ehr }) {
    await ehr.putPriorAuthorization({ ...resource, outcome: inClinicDays(resource.outcome) })
  },
})

/** The period of approval in days of the clinic. */
function inClinicDays(outcome: PriorAuthorization['outcome']): PriorAuthorization['outcome'] {
  if (outcome === undefined) return undefined
  const { authorization_start_date: start, authorization_expiration: end } = outcome
  return {
    ...outcome,
    ...(start !== undefined && { authorization_start_date: clinicDay.format(new Date(start)) }),
    ...(end !== undefined && { authorization_expiration: clinicDay.format(new Date(end)) }),
  }
}
