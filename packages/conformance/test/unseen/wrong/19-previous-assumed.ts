import { type Activity, defineHandler, type PriorAuthorization } from '../../../../../src/index.ts'

/** Wrong: assumes a snapshot before each activity, and fails where the first one that it sees has some already. */
export const handler = defineHandler({
  name: 'letters-and-faxes-to-ehr',
  on: ['prior_authorization.activity_log_updated', 'prior_authorization.status_change'],
  timeoutMs: 300_000,
  async handle({ resource, previous, api, ehr, signal }) {
    const activities = resource.activity_log ?? []
    if (activities.length === 0) return
    // A PA is created without activities, so there was a run before.
    const before = previous as PriorAuthorization
    const known = before.activity_log?.length ?? 0

    for (const activity of activities.slice(known)) {
      const { id: key = '', created_at: at, details } = activity
      const title = titleOf(activity)
      if (title !== undefined && details?.url !== undefined) {
        const file = await api.downloadFile(details.url, { signal })
        const kind = activity.type === 'sent_fax' ? 'fax_sent' : 'fax_received'
        await ehr.putFile(resource, { ...file, key, kind, title, at })
      } else if (activity.type === 'follow_up_call' && details?.notes)
        await ehr.putNote(resource, { key, title: 'Call to the payer', text: details.notes, at })
    }
  },
})

function titleOf({ type }: Activity): string | undefined {
  if (type === 'sent_fax') return 'Fax sent to the payer'
  return type === 'received_fax' ? 'Fax received from the payer' : undefined
}
