import { errorsBeforeHandlers } from '@pawl/ledger/hot/waiting-errors'
import type { FoundAlert } from '@pawl/ledger/alerts/alert-records'
import type { WorkGroup } from '@pawl/ledger/views/work-group'
import type { WorkViews } from '@pawl/ledger/views/read-work'

/** The share of all attempts, in percent, at which failing work opens an alert. */
const failingLevel = 50
/** The level of parked work. */
export const parkedLevel = 100

/** Finds parked and failing work by its cause: a system and its error code, or a handler and its own. */
export async function findFailedWork(
  ledger: Pick<WorkViews, 'workGroups'>,
  maxAttempts: number,
): Promise<FoundAlert[]> {
  const found = new Map<string, FoundAlert>()
  const tries = [Math.ceil((failingLevel * maxAttempts) / 100)]
  for (const group of await ledger.workGroups({}, tries)) {
    // An outage or a pause has its own alert.
    if (group.state === 'waiting') continue
    const alert = alertOf(group)
    const key = `${alert.kind} ${alert.subject}`
    const known = found.get(key)
    // Handlers that failed at one system for one reason share an alert; parked work takes precedence over failing work.
    if (known !== undefined && known.level > alert.level) continue
    const { count = 0, beganAt = Infinity } = known?.level === alert.level ? known : {}
    const opens = alert.opens || (known?.opens === true && known.level === alert.level)
    found.set(key, {
      ...alert,
      opens,
      count: count + alert.count,
      beganAt: Math.min(beganAt, alert.beganAt ?? Infinity),
    })
  }
  return [...found.values()]
}

function alertOf({ state, cases, oldestAt: beganAt, mostTried, httpStatus, ...group }: WorkGroup) {
  const cause = { ...causeOf(group), httpStatus, beganAt, tellsGrowth: true }
  if (state === 'parked') return { ...cause, level: parkedLevel, count: cases, opens: true }
  const { reached = 0, resourceId } = mostTried ?? {}
  // Counts only work that has reached this level.
  return { ...cause, level: failingLevel, count: Math.min(reached, cases), resourceId, opens: reached > 0 }
}

/** The cause of failed work: a system and its error code, or a handler and its own. */
export function causeOf({ handler, system, errorCode }: Pick<WorkGroup, 'handler' | 'system' | 'errorCode'>) {
  if (system !== '') return { kind: 'work_at_system', subject: `${system} ${errorCode}` } as const
  if (errorsBeforeHandlers.some((code) => code === errorCode))
    return { kind: 'work_before_handlers', subject: errorCode } as const
  return { kind: 'work', subject: `${handler} ${errorCode}` } as const
}
