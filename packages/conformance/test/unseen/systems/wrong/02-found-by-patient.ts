import { defineHandler, type PriorAuthorization } from '../../../../../../src/index.ts'
import { type System, WriteFailed, exchange, leanFetch, systemClock } from '../../../../../../src/connector.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { contentOf, integrationOf } from '../integration-of.ts'
import { board } from '../right/01-board.ts'

interface PatientBoard {
  putCase(priorAuthorization: PriorAuthorization): Promise<void>
}

const http = { fetch: leanFetch, clock: systemClock, timeoutMs: 5_000 }
const headers = { 'content-type': 'application/json' }

const boardAt = (url: string): System<PatientBoard> => ({
  open: (run) => ({
    async putCase(priorAuthorization) {
      const patient = run.digest(priorAuthorization.patient?.internal_id ?? '')
      const body = JSON.stringify({ patient, ...contentOf(priorAuthorization) })
      const search = await exchange(http, run, `${url}/cases?patient=${patient}`, { method: 'GET', headers })
      const [found] = search.ok ? (JSON.parse(search.text) as { id: string }[]) : []
      const answer = await exchange(http, run, found === undefined ? `${url}/cases` : `${url}/cases/${found.id}`, {
        method: found === undefined ? 'POST' : 'PATCH',
        headers,
        body,
      })
      if (!answer.ok)
        throw new WriteFailed({ system: 'board', what: 'case', resourceId: run.resourceId, failure: answer })
      run.wrote({ type: 'Case', id: found?.id ?? 'new' })
    },
  }),
})

/** Wrong: searches for the patient's case, and so puts one PA over another. */
export const integration = integrationOf({
  ...board,
  systemAt: boardAt,
  handlers: [
    defineHandler({
      name: 'case-to-board',
      on: ['prior_authorization.status_change'],
      // The compiler cannot see which systems the integration lists.
      handle: (context) => (listedSystem(context, 'board') as PatientBoard).putCase(context.resource),
    }),
  ],
})
