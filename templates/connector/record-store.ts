import { checkRun, exchange, leanFetch, notConfigured, type System, systemClock, WriteFailed } from '#pawl/connector'
import { z } from 'zod'

export const recordStoreSettings = {
  RECORD_STORE_URL: z.url().optional().describe('address of the record store'),
}

/** The port that handlers use as `recordStore`. */
export interface RecordStore {
  /** Updates the record of the resource. Throws `WriteFailed`. */
  put(record: object): Promise<void>
}

const http = { fetch: leanFetch, clock: systemClock, timeoutMs: 15_000 }

/** Keeps a record of each resource at RECORD_STORE_URL, by PUT under the resource's id, so a retry is harmless. Without a URL, the work parks. */
export function recordStore({ RECORD_STORE_URL: url }: { RECORD_STORE_URL?: string | undefined }): System<RecordStore> {
  if (url === undefined) return notConfigured('RECORD_STORE_URL')
  return {
    open: (run) => ({
      async put(record) {
        const id = run.resourceId
        const body = JSON.stringify(record)
        const digest = run.digest(body)
        if ((await run.memory.read('record'))?.digest === digest) return
        // Until the answer arrives, the store may hold this state or the previous one.
        await run.memory.write('record', { id })
        const headers = { 'content-type': 'application/json' }
        const answer = await exchange(http, run, `${url}/${encodeURIComponent(id)}`, { method: 'PUT', headers, body })
        if (!answer.ok)
          throw new WriteFailed({ system: 'record store', what: 'record', resourceId: id, failure: answer })
        await run.memory.write('record', { id, digest })
        run.wrote({ type: 'Record', id })
      },
    }),
    async check(signal) {
      const answer = await exchange(http, checkRun(signal), url, { method: 'GET', headers: {} })
      return { ok: answer.ok, findings: [answer.ok ? 'It answers.' : `RECORD_STORE_URL: ${answer.reason}.`] }
    },
  }
}
