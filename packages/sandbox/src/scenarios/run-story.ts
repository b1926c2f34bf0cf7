import { z } from 'zod'
import { dataOf } from './call-sandbox.ts'
import type { RunContext } from './run-step.ts'

const Entry = z.object({
  of: z.enum(['case', 'transfer', 'benefits_check']),
  change: z.object({ from: z.string().nullable(), to: z.string() }).optional(),
  event: z.object({ type: z.string(), delivery_ids: z.array(z.number()) }).optional(),
})

/** A change of status, an event, or both, by the resource's name in the scenario. */
export type Happened = z.infer<typeof Entry> & { resource: string }

/** Returns a function that resolves with the story entries of the run's resources since its last call. */
export function followStory({ call, ids }: RunContext): () => Promise<Happened[]> {
  const seen = new Map<string, number>()
  return async () => {
    const news: Happened[] = []
    for (const [resource, id] of ids) {
      if (resource === 'run') continue
      const story = z.array(Entry).parse(dataOf(await call('GET', `/_sandbox/resources/${id}/story`)))
      news.push(...story.slice(seen.get(id) ?? 0).map((entry) => ({ resource, ...entry })))
      seen.set(id, story.length)
    }
    return news
  }
}
