import { countFailed } from '../pages/words.ts'

/** Such as "12 cases". */
export function inCases(count: number): string {
  return count === 1 ? '1 case' : `${countFailed(count)} cases`
}

/** How much waits for a system or a pause, and what that costs. */
export function sayWaiting(count: number): string {
  return count === 0
    ? 'Nothing waits for it yet.'
    : `${inCases(count)} ${count === 1 ? 'waits' : 'wait'}, nothing lost.`
}

export function earliest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times)
}

/** An alert stays open for a while after its fault: from here on the facts of this moment count. */
export const quietAfterMs = 60_000
