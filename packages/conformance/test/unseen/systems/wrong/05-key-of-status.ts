import { type System, WriteFailed, exchange, leanFetch, systemClock } from '../../../../../../src/connector.ts'
import { contentOf, integrationOf } from '../integration-of.ts'
import { type Hook, hook } from '../right/03-hook.ts'

const http = { fetch: leanFetch, clock: systemClock, timeoutMs: 5_000 }

const hookAt = (url: string): System<Hook> => ({
  open: (run) => ({
    async tell(priorAuthorization) {
      const { id, status } = priorAuthorization
      const headers = { 'content-type': 'application/json', 'idempotency-key': `${id}-${status}` }
      const body = JSON.stringify(contentOf(priorAuthorization))
      const answer = await exchange(http, run, `${url}/events`, { method: 'POST', headers, body })
      if (!answer.ok) throw new WriteFailed({ system: 'hook', what: 'event', resourceId: id, failure: answer })
      run.wrote({ type: 'Event', id: `${id}-${status}` })
    },
  }),
})

/** Wrong: its idempotency key is the status, so the hook drops a status that comes back and an outcome that changes. */
export const integration = integrationOf({ ...hook, systemAt: hookAt })
