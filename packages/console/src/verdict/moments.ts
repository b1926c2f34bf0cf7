import type { Finding, Reach } from '../contract/status-verdict.ts'
import { askedSince, reaches } from '../asked-since.ts'
import type { FaultCode } from '../faults/catalogue.ts'
import { faultOf, type FaultFacts } from '../faults/fault.ts'
import type { Facts } from './facts.ts'

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

/** A fault that is over as soon as the service is asked for all since a moment: by a button, on the page and by the command alike. */
export function unasked(
  code: FaultCode,
  { from, now }: { from: number; now: number },
  facts: FaultFacts = {},
  why?: string,
): Finding {
  const reach = reachTo(from, now)
  const known = { ...facts, since: reach.replace(' ', '+'), reach: reach.replace(' ', '') }
  return { ...faultOf(code, known, why), deeds: [{ do: 'reconcile', since: reach }] }
}

/** An alert stays open for a while after its fault: from here on the facts of this moment count. */
export const quietAfterMs = 60_000
