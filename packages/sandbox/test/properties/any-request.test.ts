import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RequestFault } from '../../../client/src/schemas/faults.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox.ts'
import { files, startFileServer } from '../files.ts'
import { benefitVerification, ndpSubmission, priorAuthorization } from '../requests.ts'
import { breaksOf } from './breaks.ts'
import { endpoints, type ExistingResources, requestsTo } from './endpoints-with-bodies.ts'

let sandbox: Sandbox
let server: Awaited<ReturnType<typeof startFileServer>>
let url: string
let token: string
let world: ExistingResources

beforeAll(async () => {
  server = await startFileServer({ '/a.png': { body: files.png } })
  sandbox = createSandbox({
    speed: 0,
    seed: 7,
    allowPrivateFileUrls: true,
    organizations: [{ id: 'org_p', pharmacy: true }],
  })
  url = (await sandbox.listen()).url
  token = await sandbox.issueToken()
  const endedId = await create('/prior-authorization', priorAuthorization())
  while (sandbox.controls.step() !== undefined);
  const cancelledVerificationId = await create('/benefit-verification', benefitVerification())
  sandbox.controls.cancel(cancelledVerificationId)
  const newId = () => create('/prior-authorization', priorAuthorization())
  const runningId = await create('/prior-authorization', priorAuthorization({ ndp_submission: ndpSubmission }))
  world = { endedId, cancelledVerificationId, runningId, fileUrl: `${server.url}/a.png`, newId }
})
afterAll(async () => {
  await Promise.all([sandbox.close(), server.close()])
})

async function send(method: string, path: string, body: unknown) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
  // The tests themselves check the shape.
  return { status: answer.status, body: (await answer.json()) as { data: { id: string }; detail: RequestFault[] } }
}

async function create(path: string, body: unknown): Promise<string> {
  return (await send('POST', path, body)).body.data.id
}

describe.each(endpoints)('$name', (endpoint) => {
  it('refuses a request with any one field broken, and names that field alone', async () => {
    const path = await endpoint.path(world)
    await fc.assert(
      fc.asyncProperty(requestsTo(endpoint, world), fc.nat(), async (request, choice) => {
        const breaks = breaksOf(endpoint.schema, request)
        const chosen = breaks[choice % breaks.length]
        const { status, body } = await send(endpoint.method, path, chosen?.apply(request))
        expect({ status, broken: chosen?.name, detail: body.detail }).toMatchObject({
          status: 422,
          detail: [{ loc: ['body', ...(chosen?.loc ?? [])], msg: expect.any(String), type: expect.any(String) }],
        })
      }),
      { numRuns: 80 },
    )
  })
})
