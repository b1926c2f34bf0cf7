import { defineHandler, type PriorAuthorization } from '#pawl'
import type { StaffTask } from '@pawl/ehr'
import { isPossible, nextActions } from './next-actions.ts'

/** Keeps one staff task while a prior authorization waits for people, with the actions possible now. */
export default defineHandler({
  name: 'staff-work-queue',
  on: ['prior_authorization.status_change'],
  async handle({ resource, ehr }) {
    const waiting = waitingFor(resource)
    if (waiting !== undefined) await ehr.openStaffTask(resource, { ...waiting, instructions: instructionsOf(resource) })
    else await ehr.closeStaffTask(resource, calledOff.has(resource.status) ? 'cancelled' : 'completed')
  },
})

const calledOff: ReadonlySet<string> = new Set(['cancelled', 'failed', 'not_submitted'])

const byStatus: Partial<Record<string, string>> = {
  awaiting_review: 'Review a prior authorization',
  awaiting_provider_response: 'Answer for a prior authorization',
}
const byDetailCode: Partial<Record<string, string>> = {
  more_information_required: 'Complete and resubmit a prior authorization',
  patient_consent_required: "Get the patient's consent for a prior authorization",
}

/** The reason why the PA waits; adapt titles to your staff. */
function waitingFor({ status, outcome }: PriorAuthorization): StaffTask | undefined {
  const running = byStatus[status]
  if (running !== undefined) return { reason: status, title: running }
  // The status comes first: while a PA runs, its outcome is a placeholder, regardless of its detail_code.
  if (!['completed', 'not_submitted', 'failed'].includes(status)) return undefined
  const code = outcome?.detail_code ?? ''
  const ended = byDetailCode[code]
  if (ended !== undefined) return { reason: code, title: ended }
  const isDenied = status === 'completed' && outcome?.result === 'Denied'
  return isDenied ? { reason: 'denied', title: 'Decide on an appeal of a denied prior authorization' } : undefined
}

/** The payer's words, the possible actions, and the link. */
function instructionsOf(pa: PriorAuthorization): string {
  const { outcome, url, denial_reason_analysis: analysis } = pa
  const possible = nextActions(pa).filter(isPossible)
  return [
    ...(pa.status in byStatus ? [] : [outcome?.detail, analysis?.explanation, analysis?.next_steps_explanation]),
    'Possible now:',
    ...possible.map(({ name, how }) => `- ${name.replaceAll('_', ' ')}: ${how}`),
    url && `Open it at ${url}.`,
  ]
    .filter((line) => line !== undefined && line.trim() !== '')
    .join('\n')
}
