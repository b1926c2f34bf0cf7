import { queryOf } from '@pawl/base/pages/query'
import type { Finding, Reach } from '../contract/status-verdict.ts'
import { askedSince, reaches } from '../asked-since.ts'
import { countFailed } from '../pages/words.ts'
import type { Facts } from './facts.ts'

/** Where `docs/deploying.md` puts the settings. */
export const inSettings = 'The settings are in /etc/pawl/pawl.env, unless you keep them elsewhere.'

/** Restarts all processes of pawl, as `docs/deploying.md` runs them. */
export const restart = "systemctl restart 'pawl@*'"

/** Such as "12 cases". */
export function inCases(count: number): string {
  return count === 1 ? '1 case' : `${countFailed(count)} cases`
}

/** How much waits for a system or a pause, and what that costs. */
export function sayWaiting(count: number): string {
  return count === 0 ? 'Nothing waits for it yet.' : `${inCases(count)} ${waits(count)}, nothing lost.`
}

/** How much waits, and nothing of what that costs. */
export function sayWaits(count: number): string {
  return count === 0 ? 'Nothing waits for it yet.' : `${inCases(count)} ${waits(count)}.`
}

const waits = (count: number) => (count === 1 ? 'waits' : 'wait')

/** The cases that wait for a system. */
export function casesWaitingFor(system: string, { waitingCases }: Pick<Facts, 'waitingCases'>): number {
  return waitingCases.find((each) => each.system === system)?.count ?? 0
}

export function earliest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times)
}

/** How far back to ask for all since a moment; with some room, as people take their time. */
export function reachTo(since: number, now: number): Reach {
  return reaches.find((each) => now - since < 0.8 * askedSince[each]) ?? '7 d'
}

/** Asks for all since a moment, by a button, on the page and by the command alike. */
export function askService(
  since: number,
  now: number,
): Pick<Finding, 'page' | 'act' | 'isOptional' | 'deeds' | 'command'> {
  const reach = reachTo(since, now)
  return {
    page: `/ask${queryOf({ since: reach })}`,
    act: 'Ask the service',
    isOptional: true,
    deeds: [{ do: 'reconcile', since: reach }],
    command: `pawl reconcile --since ${reach.replace(' ', '')}`,
  }
}

/** An alert stays open for a while after its fault: from here on the facts of this moment count. */
export const quietAfterMs = 60_000
