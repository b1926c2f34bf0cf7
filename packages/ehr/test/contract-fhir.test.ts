import { describe, it } from 'vitest'
import { startFhirServer } from '../../testing/src/services/fhir-server.ts'
import { createFhirEhr } from '../src/fhir/fhir-ehr.ts'
import { leanFetch } from '../../base/src/net/fetch.ts'
import type { PriorAuthorization } from '../../../src/index.ts'
import type { Ehr } from '@pawl/ehr'
import { connectorContract, type FarSideRequest, startFarSide } from '../../testing/src/index.ts'
import { canaryPatient } from '../../../test/support/canaries.ts'
import { chartSubject } from '../../../test/support/chart-subject.ts'

/** A chart on the demo's FHIR server, behind a far side that fails in its place. */
async function startChart() {
  const server = await startFhirServer()
  await server.admit(canaryPatient)
  const { origin } = new URL(server.url)

  async function forward({ method, path, headers, body }: FarSideRequest) {
    const { 'content-type': type, 'if-match': ifMatch, 'if-none-exist': ifNoneExist } = headers
    const answer = await leanFetch(`${origin}${path}`, {
      // The compiler cannot see that the connector uses no other methods.
      method: method as 'GET' | 'POST' | 'PUT' | 'PATCH',
      headers: {
        ...(type !== undefined && { 'content-type': type }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        ...(typeof ifNoneExist === 'string' && { 'if-none-exist': ifNoneExist }),
      },
      ...(body !== '' && { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    })
    const etag = answer.headers.get('etag')
    return { status: answer.status, body: await answer.text(), ...(etag !== null && { headers: { etag } }) }
  }

  const chart = await startFarSide(forward)
  return {
    ...chart,
    connect: () => createFhirEhr({ baseUrl: `${chart.url}/fhir/R4`, identifierBase: 'https://clinic.example/id' }),
    async held(resourceId: string) {
      const isAbout = (resource: object) => JSON.stringify(resource).includes(resourceId)
      const [tasks, responses, documents] = await Promise.all([
        server.search('Task'),
        server.search('ClaimResponse'),
        server.search('DocumentReference'),
      ])
      return [
        {
          tasks: tasks.filter(isAbout).map(({ status }) => status),
          responses: responses.filter(isAbout).map(({ outcome, disposition }) => [outcome, disposition]),
          documents: documents.filter(isAbout).map(({ status }) => status),
        },
      ]
    },
    async close() {
      await chart.close()
      await server.close()
    },
  }
}

describe('the chart on a FHIR server keeps the contract', () => {
  const rules = connectorContract<Ehr, PriorAuthorization>({
    start: startChart,
    ...chartSubject,
  })
  for (const { name, check } of rules) it(name, check)
})
