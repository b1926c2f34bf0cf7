import { z } from 'zod'
import type { CreatedKind } from './schema.ts'

const WithStatus = z.object({ status: z.string() })
const WithResults = z.object({ results: z.array(WithStatus) })

/** The statuses that hold of a resource as its GET shows it, the most telling one first; none where it shows none. A clinical qualification has none of its own: it is `evaluated` once no result is pending, and what all its results are. */
export function shownStatuses(kind: CreatedKind, resource: unknown): string[] {
  if (kind !== 'clinical_qualification') {
    const shown = WithStatus.safeParse(resource)
    return shown.success ? [shown.data.status] : []
  }
  const results = WithResults.safeParse(resource).data?.results.map(({ status }) => status) ?? []
  if (results.includes('pending')) return ['pending']
  const [first, ...others] = new Set(results)
  return first === undefined || others.length > 0 ? ['evaluated'] : [first, 'evaluated']
}
