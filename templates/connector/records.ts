import {
  exchange,
  leanFetch,
  notConfigured,
  PawlError,
  type Retry,
  type RunContext,
  type System,
  systemClock,
} from '#pawl/connector'
import { z } from 'zod'

/** The settings of the connector. */
export const recordsSettings = {
  RECORDS_URL: z.url().optional().describe('where records are kept'),
}

/** The system did not take a record. Names the verdict, never what it answered, which may quote patient data. */
export class RecordsRefused extends PawlError {
  readonly code = 'records_refused'
  override readonly retry: Retry
  override readonly isOutage: boolean
  override readonly mayBeOutage: boolean

  constructor(failure: { reason: string; retry: Retry; isOutage: boolean; mayBeOutage: boolean }) {
    super(`The record was not taken: ${failure.reason}.`)
    this.retry = failure.retry
    this.isOutage = failure.isOutage
    this.mayBeOutage = failure.mayBeOutage
  }
}

/** What handlers get. */
export interface Records {
  /** Brings the record of the resource up to date. */
  put(record: object): Promise<void>
}

/** Keeps a record of each resource at RECORDS_URL, by PUT under the resource's id, which makes a repetition harmless; without an address, what would be written parks. */
export function records({ RECORDS_URL: url }: { RECORDS_URL?: string | undefined }): System<Records> {
  const deps = { fetch: leanFetch, clock: systemClock, timeoutMs: 15_000 }
  if (url === undefined) return notConfigured('RECORDS_URL')

  async function put(record: object, run: RunContext): Promise<void> {
    const address = `${url}/${encodeURIComponent(run.resourceId)}`
    const headers = { 'content-type': 'application/json' }
    const answer = await exchange(deps, run, address, { method: 'PUT', headers, body: JSON.stringify(record) })
    if (!answer.ok) throw new RecordsRefused(answer)
    run.wrote({ type: 'Record', id: run.resourceId })
  }

  return {
    open: (run) => ({ put: (record) => put(record, run) }),
    async check(signal) {
      const run = { signal, assertMayAct() {}, remainingMs: () => deps.timeoutMs }
      const answer = await exchange(deps, run, url, { method: 'GET', headers: {} })
      // Whatever it thinks of a GET, it is there.
      const isThere = answer.status !== undefined && answer.status < 500
      return { ok: isThere, findings: [answer.ok || isThere ? 'It answers.' : `RECORDS_URL: ${answer.reason}.`] }
    },
  }
}
