import { defineHandler, isApproved } from '#pawl'

/** How many days before an authorization ends its renewal is due. */
const leadDays = 30
const dayMs = 86_400_000

/** Opens a task for the renewal as soon as an authorization that ends is granted, due some weeks before its end: once the PA is settled nothing is received of it any more, so nothing would wake the handler then. */
export default defineHandler({
  name: 'renewal-task',
  on: ['prior_authorization.status_change'],
  async handle({ resource, events, ehr, log }) {
    const { status, outcome } = resource
    if (status !== 'completed') return
    const expiration = isApproved(outcome) ? outcome?.authorization_expiration : undefined
    // Also after an approval that was taken back; where no task was opened, nothing happens.
    if (expiration === undefined) return ehr.closeStaffTask(resource, 'cancelled', 'renewal')
    const endsAt = Date.parse(expiration)
    if (Number.isNaN(endsAt)) return log.warn({}, 'no renewal task: the end of the authorization is no date')
    const receivedAt = events.at(-1)?.receivedAt.getTime() ?? 0
    if (endsAt < receivedAt) return
    await ehr.openStaffTask(resource, {
      key: 'renewal',
      reason: 'authorization_expires',
      title: 'Renew a prior authorization',
      instructions: `The authorization ends on ${dayOf(endsAt)}. If the therapy goes on, send a new request with resubmission_info.previous_prior_auth_request_id ${resource.id} and a note.`,
      dueAt: dayOf(endsAt - leadDays * dayMs),
    })
  },
})

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
