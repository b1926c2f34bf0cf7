import type { PriorAuthorization } from '#pawl'

const told = ['awaiting_review', 'completed', 'failed', 'not_submitted']

/** What is told of a PA that ended or waits for review: a sentence, and a key that is its own for each result. Holds the PA's id and codes of the service; never its sentences, which are about the patient. */
export function resultNewsOf({ id, status, outcome }: PriorAuthorization): { key: string; text: string } | undefined {
  if (!told.includes(status)) return undefined
  const result = status === 'awaiting_review' ? [] : [outcome?.result, outcome?.detail_code]
  const key = [status, ...result].filter((word) => word !== undefined).join(', ')
  return { key, text: `Prior authorization ${id}: ${key}.` }
}
