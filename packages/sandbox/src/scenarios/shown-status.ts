import { z } from 'zod'
import type { CreatedKind } from './schema.ts'

const WithStatus = z.object({ status: z.string() })
const WithResults = z.object({ results: z.array(WithStatus) })

/** Statuses of a resource from GET, most specific first. A clinical qualification is `evaluated` once no result is pending; a result shared by all drugs comes first. */
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
