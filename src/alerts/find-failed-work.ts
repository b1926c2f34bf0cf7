import type { FoundAlert } from '../ledger/alert-records.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** Shares of all attempts, in percent, at which failing work is told of again. */
const levels = [90, 70, 50] as const
/** The level of work that nobody tries again. */
export const parkedLevel = 100

/** Work that is parked, or on the way there, by handler and error code. */
export async function findFailedWork(
  ledger: Pick<Ledger, 'failureGroups' | 'mostTried'>,
  maxAttempts: number,
): Promise<FoundAlert[]> {
  const found = new Map<string, FoundAlert>()
  const groups = await ledger.failureGroups()
  const tried = await ledger.mostTried()
  for (const { state, handler, errorCode, count } of groups) {
    const subject = `${handler} ${errorCode}`
    const most = tried
      .filter((each) => each.handler === handler && each.errorCode === errorCode)
      .toSorted((one, other) => other.attempts - one.attempts)[0]
    const level = state === 'parked' ? parkedLevel : levelOf(most?.attempts ?? 0, maxAttempts)
    const known = found.get(subject)
    // Groups of several systems are one alert; of parked and failing work, the parked counts.
    if (known !== undefined && known.level > level) continue
    const before = known?.level === level ? known.count : 0
    const resourceId = state === 'parked' ? undefined : most?.resourceId
    found.set(subject, { kind: 'work', subject, level, count: before + count, resourceId, opens: level > 0 })
  }
  return [...found.values()]
}

/** The highest level that so many attempts have reached; 0 below all. */
function levelOf(attempts: number, maxAttempts: number): number {
  return levels.find((level) => attempts * 100 >= level * maxAttempts) ?? 0
}
