import type { PriorAuthorization } from '#pawl'

const reported = ['awaiting_review', 'completed', 'failed', 'not_submitted']

/** Notice about a PA that ended or waits for review: a sentence, and a key unique to each result. Holds the PA's id and the service's codes, never its sentences, which are about the patient. */
export function resultNewsOf({ id, status, outcome }: PriorAuthorization): { key: string; text: string } | undefined {
  if (!reported.includes(status)) return undefined
  const result = status === 'awaiting_review' ? [] : [outcome?.result, outcome?.detail_code]
  const key = [status, ...result].filter((word) => word !== undefined).join(', ')
  return { key, text: `Prior authorization ${id}: ${key}.` }
}
