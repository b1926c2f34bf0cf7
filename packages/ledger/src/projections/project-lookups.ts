import { type LookupNumbers, saveLookups } from './lookups.ts'
import type { Step } from './projection.ts'
import type { Recorded } from './recorded.ts'

/** Makes resources findable by the numbers of their newest snapshots. */
export async function projectLookups({ trx, rows, seal }: Pick<Step<Recorded>, 'trx' | 'rows' | 'seal'>) {
  const changed = new Set(rows.flatMap(({ entry, resource }) => (entry.changes.length === 0 ? [] : resource)))
  const findable = [...changed].flatMap(({ number: resource, readIdentity }): LookupNumbers[] => {
    const identity = readIdentity()
    if (identity === 'unreadable') return []
    return [{ resource, identifiers: identity === 'none' ? [] : identity.identifiers }]
  })
  await saveLookups(trx, findable, seal)
}
