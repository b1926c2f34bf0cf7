import { defineHandler, type PriorAuthorization } from '../../../../../../src/index.ts'
import { exchange, leanFetch, type System, systemClock, WriteFailed } from '../../../../../../src/connector.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { contentOf, integrationOf, type OwnSystem } from '../integration-of.ts'

const http = { fetch: leanFetch, clock: systemClock, timeoutMs: 5_000 }

export interface Register {
  putRecord(priorAuthorization: PriorAuthorization): Promise<void>
}

/** Puts the whole record under the PA's id. */
export const registerAt = (url: string): System<Register> => ({
  open: (run) => ({
    async putRecord(priorAuthorization) {
      const { id } = priorAuthorization
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify(contentOf(priorAuthorization))
      const answer = await exchange(http, run, `${url}/records/${id}`, { method: 'PUT', headers, body })
      if (!answer.ok) throw new WriteFailed({ system: 'register', what: 'record', resourceId: id, failure: answer })
      run.wrote({ type: 'Record', id })
    },
  }),
})

export const register: OwnSystem = {
  name: 'register',
  setting: 'REGISTER_URL',
  systemAt: registerAt,
  handlers: [
    defineHandler({
      name: 'record-to-register',
      on: ['prior_authorization.status_change'],
      // The compiler cannot see which systems the integration lists.
      handle: (context) => (listedSystem(context, 'register') as Register).putRecord(context.resource),
    }),
  ],
}

/** Odd: writes without a memory. */
export const integration = integrationOf(register)
