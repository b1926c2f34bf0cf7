import { exchange, leanFetch, type System, systemClock } from '../../../../../../src/connector.ts'
import { contentOf, integrationOf } from '../integration-of.ts'
import { type Register, register } from '../right/02-register.ts'

const http = { fetch: leanFetch, clock: systemClock, timeoutMs: 5_000 }

const registerAt = (url: string): System<Register> => ({
  open: (run) => ({
    async putRecord(priorAuthorization) {
      const { id } = priorAuthorization
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify(contentOf(priorAuthorization))
      const answer = await exchange(http, run, `${url}/records/${id}`, { method: 'PUT', headers, body })
      if (answer.ok) run.wrote({ type: 'Record', id })
      else run.log.warn({}, 'the register did not take the record')
    },
  }),
})

/** Wrong: logs the error of a write, and goes on. */
export const integration = integrationOf({ ...register, systemAt: registerAt })
