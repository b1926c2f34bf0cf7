import { readCodes } from 'pawl-client/schemas/describe-change'
import { isApproved } from 'pawl-client/schemas/outcome'

/** The state of a resource before and after a run, in the service's documented words. */
export interface ChangeForLog {
  status_before?: string | undefined
  status?: string | undefined
  outcome?: string | undefined
  transfer_before?: string | undefined
  transfer?: string | undefined
}

/** The change as a log may show it; undocumented words become `?` (docs/design.md, rule 11). */
export function describeChangeForLog(now: unknown, before: unknown): ChangeForLog {
  const [codes, codesBefore] = [readCodes(now), readCodes(before)]
  // While a PA runs, its outcome is a placeholder.
  const result = codes.status === 'completed' ? codes['outcome.result'] : undefined
  return {
    status_before: codesBefore.status,
    status: codes.status,
    outcome: isApproved({ result }) ? 'approved' : result?.toLowerCase(),
    transfer_before: codesBefore['prescription_transfer.status'],
    transfer: codes['prescription_transfer.status'],
  }
}

/** The change of one state since an earlier one, described once for all handlers that had that one. */
export type ChangeSince = (before: unknown) => ChangeForLog

export function createChangeSince(now: unknown): ChangeSince {
  const described = new Map<unknown, ChangeForLog>()
  return (before) => {
    const change = described.get(before) ?? describeChangeForLog(now, before)
    described.set(before, change)
    return change
  }
}
