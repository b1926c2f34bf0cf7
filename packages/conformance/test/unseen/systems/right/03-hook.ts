import { defineHandler, type PriorAuthorization } from '../../../../../../src/index.ts'
import { exchange, leanFetch, type System, systemClock, WriteFailed } from '../../../../../../src/connector.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { contentOf, integrationOf, type OwnSystem } from '../integration-of.ts'

const http = { fetch: leanFetch, clock: systemClock, timeoutMs: 5_000 }

export interface Hook {
  tell(priorAuthorization: PriorAuthorization): Promise<void>
}

/** Numbers the states of a PA: a retry has the number, and so the key, of the first attempt. */
export const hookAt = (url: string): System<Hook> => ({
  open: (run) => ({
    async tell(priorAuthorization) {
      const content = contentOf(priorAuthorization)
      const digest = run.digest(JSON.stringify(content))
      const last = await run.memory.read('event')
      const isSame = last?.digest === digest
      if (isSame && last.version === 'told') return
      const id = isSame ? last.id : String(Number(last?.id ?? 0) + 1)
      await run.memory.write('event', { id, digest })
      const headers = { 'content-type': 'application/json', 'idempotency-key': `${run.resourceId}/${id}` }
      const body = JSON.stringify({ ...content, sequence: Number(id) })
      const answer = await exchange(http, run, `${url}/events`, { method: 'POST', headers, body })
      if (!answer.ok)
        throw new WriteFailed({ system: 'hook', what: 'event', resourceId: run.resourceId, failure: answer })
      await run.memory.write('event', { id, digest, version: 'told' })
      run.wrote({ type: 'Event', id: `${run.resourceId}/${id}` })
    },
  }),
})

export const hook: OwnSystem = {
  name: 'hook',
  setting: 'HOOK_URL',
  systemAt: hookAt,
  handlers: [
    defineHandler({
      name: 'events-to-hook',
      on: ['prior_authorization.status_change'],
      // The compiler cannot see which systems the integration lists.
      handle: (context) => (listedSystem(context, 'hook') as Hook).tell(context.resource),
    }),
  ],
}

/** Odd: numbers of its own, which a retry repeats. */
export const integration = integrationOf(hook)
