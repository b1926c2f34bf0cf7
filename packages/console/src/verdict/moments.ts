import type { Finding } from '../contract/status-verdict.ts'
import { reachTo } from '../ranges.ts'
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
