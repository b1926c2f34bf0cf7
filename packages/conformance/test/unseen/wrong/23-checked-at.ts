import { defineHandler, isApproved, type PriorAuthorization } from '../../../../../src/index.ts'

/** Wrong: puts the time of the run into its note, so every duplicate and redelivery writes the note again. */
export const handler = defineHandler({
  name: 'status-for-front-desk',
  on: ['prior_authorization.status_change'],
  async handle({ resource, ehr }) {
    const checkedAt = new Date().toISOString().replace('T', ' ').slice(0, 19)
    await ehr.putNote(resource, {
      key: 'front-desk',
      title: 'Prior authorization at a glance',
      text: `${sentenceFor(resource)} Checked at ${checkedAt}.`,
    })
  },
})

function sentenceFor({ status, outcome }: PriorAuthorization): string {
  if (status === 'completed') return isApproved(outcome) ? 'It is approved.' : 'It ended without an approval.'
  if (status === 'cancelled') return 'It was cancelled.'
  if (status === 'failed' || status === 'not_submitted') return 'It ended without an answer.'
  return 'It is on its way.'
}
