import { defineHandler, isApproved } from '#pawl'

/** Days between the due date of a renewal and the end of its authorization. */
const leadDays = 30
const dayMs = 86_400_000

/** Opens a renewal task as soon as an authorization with an end date is granted, due some weeks before that date. Later no event would wake the handler, since a settled PA sends none. */
export default defineHandler({
  name: 'renewal-task',
  on: ['prior_authorization.status_change'],
  async handle({ resource, events, ehr, log }) {
    const { status, outcome } = resource
    if (status !== 'completed') return
    const expiration = isApproved(outcome) ? outcome?.authorization_expiration : undefined
    // Also after a withdrawn approval; does nothing if no task was opened.
    if (expiration === undefined) return ehr.closeStaffTask(resource, 'cancelled', 'renewal')
    const endsAt = Date.parse(expiration)
    // Date reads 30 February as 2 March.
    if (Number.isNaN(endsAt) || dayOf(endsAt) !== expiration)
      return log.warn({}, 'no renewal task: the end of the authorization is no date')
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
