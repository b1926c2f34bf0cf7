import type { Finding } from '../contract/status-verdict.ts'
import { reachTo } from '../ranges.ts'
import type { FaultCode } from '../faults/catalogue.ts'
import { faultOf, type Placeholders } from '../faults/fault.ts'

export function earliest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times)
}

/** A fault that a reconcile since a moment ends: by a button, on a page or by the command. */
export function unreconciled(
  code: FaultCode,
  { from, now }: { from: number; now: number },
  facts: Placeholders = {},
  why?: string,
): Finding {
  const reach = reachTo(from, now)
  const known = { ...facts, since: reach.replace(' ', '+'), reach: reach.replace(' ', '') }
  return { ...faultOf(code, known, why), deeds: [{ do: 'reconcile', since: reach }] }
}

/** An alert outlives its fault: beyond this age, in milliseconds, current facts decide. */
export const quietAfterMs = 60_000
