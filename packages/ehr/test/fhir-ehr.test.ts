import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { EhrWriteFailed } from '../src/ehr-write-failed.ts'
import { staticToken } from '../src/fhir/auth/token-provider.ts'
import { createFhirEhr, type FhirEhrOptions } from '../src/fhir/fhir-ehr.ts'
import { type FarSide, startFarSide } from '../../testing/src/far-side.ts'
import { Message } from '../../client/src/schemas/prior-authorization.ts'
import { type Fetch, leanFetch } from '../../base/src/net/fetch.ts'
import { createTestRun } from '../../../test/support/run-context.ts'
import { type FhirServer, startFhirServer } from '../../testing/src/services/fhir-server.ts'
import { sampleMessage, samplePatient, samplePriorAuthorization } from '../../../test/support/samples.ts'

let server: FhirServer
const review = { reason: 'awaiting_review', title: 'Review it' }
beforeEach(async () => {
  server = await startFhirServer()
  await server.admit(samplePatient)
})
afterEach(() => server.close())

const connect = (options: Partial<FhirEhrOptions> = {}, run = createTestRun()) =>
  createFhirEhr({ baseUrl: server.url, identifierBase: 'https://clinic.example/id', ...options }).open(run)

const failureOf = async (work: Promise<unknown>): Promise<EhrWriteFailed> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof EhrWriteFailed) return error
  throw new Error('The work did not fail as an EHR write.')
}

describe('the FHIR EHR', () => {
  it('links each write for people, unless the server returned no id', async () => {
    const ehr = createFhirEhr({ baseUrl: `${server.url}/`, identifierBase: 'https://clinic.example/id' })
    const run = createTestRun()
    await ehr.open(run).putPriorAuthorization(samplePriorAuthorization())
    for (const receipt of run.receipts) expect((await fetch(ehr.link?.(receipt) ?? '')).status).toBe(200)
    expect(run.receipts.length).toBeGreaterThan(0)
    for (const id of ['pa_req_1', '.', '..']) expect([id, ehr.link?.({ type: 'Task', id })]).toEqual([id, undefined])
  })

  it('ignores the id `..` of a server in its receipt', async () => {
    const fetch: Fetch = async (address, init) => {
      const answer = await leanFetch(address, init)
      const headers = new Headers({ location: `${server.url}/Task/..` })
      return answer.status === 201 ? { status: 201, headers, text: async () => '' } : answer
    }
    const run = createTestRun()
    await connect({ fetch }, run).openStaffTask(samplePriorAuthorization(), review)
    expect(await server.search('Task')).toHaveLength(1)
    expect(run.receipts.map(({ type, id }) => [type, id])).toEqual([['Task', 'pa_req_1']])
  })

  it('makes no duplicates when handlers write one resource at once', async () => {
    const ehr = connect()
    await Promise.all(Array.from({ length: 8 }, () => ehr.putPriorAuthorization(samplePriorAuthorization())))
    expect(await server.search('Task')).toHaveLength(1)
    expect(await server.search('ClaimResponse')).toHaveLength(1)
    expect(server.writes).toBe(3)
  })

  it('closes a staff task once, and only where there is one', async () => {
    const run = createTestRun()
    const ehr = connect({}, run)
    await ehr.closeStaffTask(samplePriorAuthorization(), 'completed')
    expect(server.writes).toBe(0)
    await ehr.openStaffTask(samplePriorAuthorization(), review)
    await ehr.closeStaffTask(samplePriorAuthorization(), 'completed')
    await ehr.closeStaffTask(samplePriorAuthorization(), 'completed')
    expect(run.receipts).toHaveLength(2)
    expect(await server.search('Task')).toMatchObject([{ status: 'completed' }])
  })
})

describe('a failed write to the chart', () => {
  for (const [status, retry] of [
    [401, 'backoff'],
    [422, 'never'],
    [302, 'never'],
    [429, 'backoff'],
    [503, 'backoff'],
  ] as const) {
    it(`with ${status} says ${retry}`, async () => {
      server.failNext(status, { of: 'PUT Task' })
      const error = await failureOf(connect().putPriorAuthorization(samplePriorAuthorization()))
      expect(error).toMatchObject({ code: 'ehr_write_failed', system: 'ehr', resourceType: 'Task', retry })
      expect(error.message).toContain(
        `pawl could not update Task by identifier in the EHR for pa_req_1: HTTP ${status}`,
      )
    })
  }

  for (const [header, afterMs] of [
    ['7', 7000],
    ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
  ] as const) {
    it(`with Retry-After ${header} says ${afterMs} ms`, async () => {
      server.failNext(429, { headers: { 'retry-after': header } })
      const clock = { now: () => Date.parse('2026-03-01T12:00:00Z') }
      const error = await failureOf(connect({ clock }).putPriorAuthorization(samplePriorAuthorization()))
      expect(error.retry).toEqual({ afterMs })
    })
  }

  it('of an aborted run has the verdict backoff, and is no outage', async () => {
    const ehr = connect({}, createTestRun({ signal: AbortSignal.abort() }))
    const error = await failureOf(ehr.putPriorAuthorization(samplePriorAuthorization()))
    expect(error).toMatchObject({ retry: 'backoff', isOutage: false })
  })

  it('of one type blocks neither the other types nor their receipts', async () => {
    const run = createTestRun()
    server.failNext(422, { of: 'PUT Task' })
    const error = await failureOf(connect({}, run).putPriorAuthorization(samplePriorAuthorization()))
    expect(error).toMatchObject({ resourceType: 'Task', retry: 'never' })
    expect(run.receipts.map(({ type }) => type)).toEqual(['ClaimResponse', 'DocumentReference'])
  })
})

describe('a run that lost its claim', () => {
  class Lost extends Error {}

  it('changes nothing more, also between the search and its write', async () => {
    const assertMayAct = () => {
      throw new Lost()
    }
    const ehr = connect({}, createTestRun({ assertMayAct }))
    await expect(ehr.putPriorAuthorization(samplePriorAuthorization())).rejects.toThrow(Lost)
    expect(server.requests.get('GET Task')).toBe(1)
    expect(server.writes).toBe(0)
  })

  it('reads a resource again that changed since its last read', async () => {
    await connect().putPriorAuthorization(samplePriorAuthorization())
    server.failNext(412, { of: 'PUT Task' })
    await connect().putPriorAuthorization(samplePriorAuthorization({ status: 'completed' }))
    expect(await server.search('Task')).toMatchObject([{ status: 'completed' }])
  })

  it('aborts a write before another run may start', async () => {
    await connect().putPriorAuthorization(samplePriorAuthorization())
    server.setDelay(60_000)
    const run = createTestRun({ remainingMs: () => 30 })
    const error = await failureOf(
      connect({ timeoutMs: 300 }, run).closeStaffTask(samplePriorAuthorization(), 'completed'),
    )
    expect(error.message).toContain('no answer within 300 ms')
    server.setDelay(0)
    const slow = await startSlowWrites(server)
    const cut = await failureOf(
      connect({ baseUrl: `${slow.url}/fhir/R4`, timeoutMs: 60_000 }, run).putPriorAuthorization(
        samplePriorAuthorization({ status: 'completed' }),
      ),
    )
    await slow.close()
    expect(cut.message).toContain('no answer within 30 ms')
  })

  it('overwrites no write of its successor that came after its read', async () => {
    await connect().putPriorAuthorization(samplePriorAuthorization())
    const successor = connect()
    const overtaken = onceThen(() => successor.putPriorAuthorization(samplePriorAuthorization({ status: 'completed' })))
    let isLost = false
    const assertMayAct = () => {
      if (isLost) throw new Lost()
    }
    const fetch: Fetch = async (address, init) => {
      if (init.method !== 'GET') await overtaken().then(() => (isLost = true))
      return leanFetch(address, init)
    }
    const late = connect({ fetch }, createTestRun({ assertMayAct }))
    await expect(late.putPriorAuthorization(samplePriorAuthorization({ status: 'awaiting_review' }))).rejects.toThrow(
      Lost,
    )
    expect(await server.search('Task')).toMatchObject([{ status: 'completed' }])
  })
})

describe('a server that passes over the search parameter identifier', () => {
  it('gets no other resource mistaken for the sought one', async () => {
    await connect().putPriorAuthorization(samplePriorAuthorization({ id: 'pa_req_other' }))
    const careless = connect({ fetch: withoutSearchParameters })
    await careless.closeStaffTask(samplePriorAuthorization(), 'completed')
    await careless.openStaffTask(samplePriorAuthorization(), review)
    const tasks = await server.search('Task')
    expect(tasks.map(({ identifier }) => identifier?.[0]?.value)).toEqual(['pa_req_other', 'pa_req_1'])
    expect(tasks[0]).toMatchObject({ status: 'in-progress' })
  })

  it('has no other patient taken for the one that was asked for', async () => {
    const careless = connect({ fetch: withoutSearchParameters })
    const pa = samplePriorAuthorization({ patient: { ...samplePatient, internal_id: 'patient-unknown' } })
    await expect(careless.putPriorAuthorization(pa)).rejects.toThrow('0 matches')
    expect(await server.search('Task')).toEqual([])
  })

  it.each(['conditional-update', 'search'] as const)(
    'hides nothing whose answer was lost from the strategy %s',
    async (strategy) => {
      await connect().putPriorAuthorization(samplePriorAuthorization({ id: 'pa_req_other' }))
      await connect().openStaffTask(samplePriorAuthorization(), review)
      const created = (await server.search('Task')).at(-1)
      const edited = { ...created, note: [{ text: 'Called the payer.' }] }
      const { status } = await fetch(`${server.url}/Task/${created?.id}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/fhir+json' },
        body: JSON.stringify(edited),
      })
      expect(status).toBe(200)
      const { writes } = server
      // Another run remembers nothing: what the first was answered is lost.
      const misled = connect({ fetch: findingTheOther, strategies: { Task: strategy } })
      await misled.openStaffTask(samplePriorAuthorization(), review)
      expect(server.writes).toBe(writes)
      const tasks = await server.search('Task')
      expect(tasks).toMatchObject([{}, { id: created?.id, note: [{ text: 'Called the payer.' }] }])
      expect(tasks).toHaveLength(2)
    },
  )

  it('gets no second search if the first finds nothing', async () => {
    await connect().openStaffTask(samplePriorAuthorization(), review)
    expect(server.requests.get('GET Task')).toBe(1)
  })
})

it('messages of two PAs with the same id stay two', async () => {
  const message = Message.parse(sampleMessage())
  await connect().putMessage(samplePriorAuthorization(), message)
  await connect().putMessage(samplePriorAuthorization({ id: 'pa_req_2' }), message)
  expect(await server.search('Communication')).toHaveLength(2)
})

/** As the platform's, but a search finds everything of its type. */
const withoutSearchParameters: Fetch = (address, init) =>
  leanFetch(init.method === 'GET' ? address.replace(/\?.*/, '') : address, init)

/** As the platform's, but a search by identifier finds what carries the one of another PA. */
const findingTheOther: Fetch = (address, init) =>
  leanFetch(init.method === 'GET' ? address.replace(/(\/Task\?identifier=).*/, '$1pa_req_other') : address, init)

function onceThen(work: () => Promise<unknown>): () => Promise<unknown> {
  let done: Promise<unknown> | undefined
  return () => (done ??= work())
}

/** Passes on reads and never answers a write. */
async function startSlowWrites({ url }: FhirServer): Promise<FarSide> {
  return startFarSide(async ({ method, path }) => {
    if (method !== 'GET') return 'silence'
    const answer = await fetch(new URL(path, url))
    return { status: answer.status, body: await answer.text() }
  })
}

it('sends its token and the FHIR media type, and never repeats what the EHR says', async () => {
  const diagnostics = 'Testa Sample, born 1970-01-31, is not known here'
  const issue = [{ severity: 'error', code: 'business-rule', diagnostics }, { code: diagnostics }]
  const refusing = await startFarSide(({ path }) =>
    path.endsWith('/metadata') ? { status: 403 } : { status: 422, body: { resourceType: 'OperationOutcome', issue } },
  )
  const ehr = connect({ baseUrl: `${refusing.url}/`, tokens: staticToken('not-a-real-token') })
  const error = await failureOf(ehr.putPriorAuthorization(samplePriorAuthorization()))
  await refusing.close()
  for (const { headers } of refusing.requests)
    expect(headers).toMatchObject({ authorization: 'Bearer not-a-real-token', accept: 'application/fhir+json' })
  expect(error.message).toBe(
    "pawl could not search Patient by identifier in the EHR for pa_req_1: HTTP 422, business-rule. Check that pawl's credentials may read and search patients; then retry the parked work. pawl ehr check tries it.",
  )
})

/** A chart whose searches for patients are answered so; what it was asked. */
async function startSearched(prefix: string, answer: (path: string) => object) {
  const chart = await startFarSide(({ path }) =>
    path.startsWith(`${prefix}/Patient`) || path.startsWith(`${prefix}?`)
      ? { status: 200, body: answer(path) }
      : { status: path.endsWith('/metadata') ? 403 : 404 },
  )
  onTestFinished(chart.close)
  const searched = () => chart.requests.map(({ path }) => path).filter((path) => !path.endsWith('/metadata'))
  return { baseUrl: chart.url + prefix, searched }
}

const chartAnswer = async (name: string): Promise<object> =>
  JSON.parse(await readFile(new URL(`../../../test/fixtures/chart-answers/${name}.json`, import.meta.url), 'utf8'))

describe('a search of the FHIR EHR', () => {
  it.each([
    ['an entry names', {}],
    ['the link self names, where no entry does', { entry: [], link: 'self' }],
  ])('asks for the next page below its own base, where a gateway hides the path that %s', async (_where, different) => {
    const first = await chartAnswer('bundle-next-under-another-path')
    const page = 'link' in different ? withSelf(first) : first
    const { baseUrl, searched } = await startSearched('/gw/ehr/fhir/R4', (path) =>
      path.includes('_getpages') ? { resourceType: 'Bundle', type: 'searchset' } : page,
    )
    await failureOf(connect({ baseUrl }).putPriorAuthorization(samplePriorAuthorization())).catch(() => {})
    expect(searched()).toEqual([
      expect.stringMatching(/^\/gw\/ehr\/fhir\/R4\/Patient\?identifier=/),
      '/gw/ehr/fhir/R4?_getpages=5b0c&_getpagesoffset=1&_count=1',
    ])
  })

  it.each([
    ['an entry without a resource', 'bundle-entry-without-resource', undefined],
    ['a resource without an id', 'bundle-next-under-another-path', { resourceType: 'Patient' }],
  ])('takes %s for an answer that is not FHIR, never for an absent patient', async (_what, name, resource) => {
    const answer = await chartAnswer(name)
    const { baseUrl } = await startSearched('/fhir', () =>
      resource === undefined ? answer : { ...answer, entry: [{ resource }] },
    )
    const error = await failureOf(connect({ baseUrl }).putPriorAuthorization(samplePriorAuthorization()))
    expect(error.message).toContain('HTTP 200 with an answer that is not valid FHIR R4')
    expect(error.retry).toBe('backoff')
  })
})

function withSelf(page: object): object {
  const link = 'link' in page && Array.isArray(page.link) ? page.link : []
  const self = { relation: 'self', url: 'http://internal:8080/fhir/R4/Patient?identifier=patient-7' }
  return { ...page, entry: [], link: [self, ...link] }
}

it('takes a search whose next page has no address for an answer that is not FHIR', async () => {
  const link = [{ relation: 'next', url: 'http://[' }]
  const astray = await startFarSide(({ path }) =>
    path.endsWith('/metadata')
      ? { status: 403 }
      : { status: 200, body: { resourceType: 'Bundle', type: 'searchset', link } },
  )
  const ehr = connect({ baseUrl: `${astray.url}/` })
  const error = await failureOf(ehr.putPriorAuthorization(samplePriorAuthorization()))
  await astray.close()
  expect(error.message).toContain(
    'search Patient by identifier in the EHR for pa_req_1: HTTP 200 with an answer that is',
  )
  expect(error.retry).toBe('backoff')
})
