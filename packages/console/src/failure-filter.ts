import { stampOf } from '@pawl/base/stamp'
import { noSystem } from './contract/work-contract.ts'
import type { WorkQuery } from './selected-work.ts'
import type { WorkGroup } from '@pawl/ledger/views/work-groups'
import type { WorkKey } from '@pawl/ledger/hot/work-filter'

/** So much work shows whether all of it would succeed. */
export const trialSize = 10

/** What is done to the first few alone, where there are more, and what is done to all. */
export function fewFirst<T extends object>(count: number, deed: T): (T | (T & { limit: number }))[] {
  return [...(count > trialSize ? [{ ...deed, limit: trialSize }] : []), deed]
}

/** Key of a group. */
export function keyOf({ state, handler, system, errorCode }: WorkKey): WorkKey {
  return { state, handler, system, errorCode }
}

/** The filter that matches exactly one group. */
export function filterOf({ state, handler, system, errorCode }: WorkKey): WorkQuery {
  return { state, handler, system: system === '' ? noSystem : system, error: errorCode }
}

/** Version of the groups on a page: it changes with a new group, or when parked work failed, was retried or succeeded. Failing work is ignored, since it changes all the time. */
export function stampOfGroups(groups: readonly WorkGroup[]): string {
  const facts = groups.map((group) => [keyOf(group), group.state === 'parked' && [group.count, group.newest]])
  return stampOf(facts)
}

/** Total work in these groups. */
export function totalOf(groups: readonly Pick<WorkGroup, 'count'>[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0)
}
