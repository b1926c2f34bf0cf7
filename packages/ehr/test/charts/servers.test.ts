import type { Bundle, CapabilityStatement, Communication, DocumentReference, FhirResource, Task } from 'fhir/r4.js'
import { afterEach, describe, expect, it } from 'vitest'
import { canvas } from '../../../../test/support/charts/canvas.ts'
import { epic } from '../../../../test/support/charts/epic.ts'
import { everything } from '../../../../test/support/charts/everything.ts'
import { oracleHealth } from '../../../../test/support/charts/oracle-health.ts'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { lenientProfiles, profiles } from '../../../../test/support/charts/profiles.ts'
import { readOnly } from '../../../../test/support/charts/read-only.ts'
import { type Chart, mrnSystem, startChart } from '../../../../test/support/charts/start-chart.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

/** A chart with one patient, whose id is `pat-1`. */
async function start(profile: ChartProfile, options: { token?: string } = {}): Promise<Chart> {
  const chart = await startChart(profile, options)
  charts.push(chart)
  chart.seedPatient({ id: 'pat-1', mrn: 'MRN-0007', birthDate: '1970-01-31', name: 'Testa Sample' })
  return chart
}

const patient = { reference: 'Patient/pat-1' }
const document = (different: Partial<DocumentReference> = {}): DocumentReference => ({
  resourceType: 'DocumentReference',
  status: 'current',
  subject: patient,
  content: [{ attachment: { contentType: 'text/plain', data: 'aGVsbG8=' } }],
  ...different,
})
const task = (different: Partial<Task> = {}): Task => ({
  resourceType: 'Task',
  status: 'requested',
  intent: 'order',
  for: patient,
  ...different,
})
const message = (different: Partial<Communication> = {}): Communication => ({
  resourceType: 'Communication',
  status: 'completed',
  subject: patient,
  ...different,
})

const json = { 'content-type': 'application/fhir+json' }
const post = (chart: Chart, resource: FhirResource, headers: Record<string, string> = {}) =>
  fetch(`${chart.url}/${resource.resourceType}`, {
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify(resource),
  })
const put = (chart: Chart, path: string, resource: FhirResource, headers: Record<string, string> = {}) =>
  fetch(`${chart.url}/${path}`, { method: 'PUT', headers: { ...json, ...headers }, body: JSON.stringify(resource) })
const get = (chart: Chart, path: string) => fetch(`${chart.url}/${path}`)
const bundle = async (answer: Promise<Response>): Promise<Bundle> => {
  // The compiler cannot see what the server answers: a search, with a Bundle.
  return (await (await answer).json()) as Bundle
}
const coverage: FhirResource = {
  resourceType: 'Coverage',
  status: 'active',
  beneficiary: patient,
  payor: [{ display: 'Sample Payer' }],
}

describe.each(lenientProfiles)('the chart $name', (profile) => {
  it('does what its capabilities say, and no more', async () => {
    const chart = await start(profile)
    // The compiler cannot see what the server answers at this address.
    const { rest } = (await (await get(chart, 'metadata')).json()) as CapabilityStatement
    const described = new Map(rest?.[0]?.resource?.map((each) => [each.type, each]))
    for (const resource of [task(), document(), message(), coverage]) {
      const codes = described.get(resource.resourceType)?.interaction?.map(({ code }) => code) ?? []
      const taken = (await post(chart, resource)).status === 201
      expect(taken, resource.resourceType).toBe(codes.includes('create'))
      const conditional = await put(chart, `${resource.resourceType}?identifier=s%7Cv`, resource)
      expect(conditional.ok, resource.resourceType).toBe(
        described.get(resource.resourceType)?.conditionalUpdate ?? false,
      )
      expect((await get(chart, `${resource.resourceType}?_id=none`)).ok).toBe(codes.includes('search-type'))
    }
    expect((await fetch(`${chart.url}/Patient/pat-1`, { method: 'DELETE' })).status).toBeGreaterThan(400)
  })
})

describe.each(profiles)('the chart $name', (profile) => {
  it('requires a token of every reader and writer', async () => {
    const chart = await start(profile, { token: 'secret' })
    expect((await get(chart, 'Patient/pat-1')).status).toBe(401)
    expect((await post(chart, document())).status).toBe(401)
    const told = await fetch(`${chart.url}/Patient/pat-1`, { headers: { authorization: 'Bearer secret' } })
    expect(told.status).toBe(200)
  })

  it('finds a patient by the whole number, page by page where several have it', async () => {
    const chart = await start(profile)
    for (const id of ['2', '3', '4', '5']) chart.seedPatient({ id, mrn: 'twice', birthDate: '1980-01-01', name: 'A B' })
    const one = await bundle(get(chart, `Patient?identifier=${mrnSystem}%7CMRN-0007`))
    expect(one.entry?.map(({ resource }) => resource?.id)).toEqual(['pat-1'])
    const none = await bundle(get(chart, `Patient?identifier=${mrnSystem}%7CMRN-000`))
    expect(none.entry?.filter(({ search }) => search?.mode === 'match') ?? []).toEqual([])
    const seen: (string | undefined)[] = []
    let next: string | undefined = `${chart.url}/Patient?identifier=${mrnSystem}%7Ctwice`
    while (next !== undefined) {
      const page: Bundle = await bundle(fetch(next))
      expect(page.entry?.length).toBeLessThan(4)
      seen.push(...(page.entry ?? []).map(({ resource }) => resource?.id))
      next = page.link?.find(({ relation }) => relation === 'next')?.url
    }
    expect(seen).toEqual(['2', '3', '4', '5'])
  })
})

describe.each([epic, oracleHealth, canvas, everything])('a document for the chart $name', (profile) => {
  it('is refused where it is not valid FHIR, or stands in no existing patient’s chart', async () => {
    const chart = await start(profile)
    const { content: _content, ...empty } = document()
    // The compiler rightly sees that this is no document: the server must see it too.
    expect((await post(chart, empty as DocumentReference)).status).toBe(400)
    expect((await post(chart, document({ subject: { reference: 'Patient/pat-2' } }))).status).toBe(422)
    const logical = { type: 'Patient', identifier: { system: mrnSystem, value: 'MRN-0007' } }
    expect((await post(chart, document({ subject: logical }))).status).toBe(422)
    const stranger = { relatesTo: [{ code: 'replaces' as const, target: { reference: 'DocumentReference/none' } }] }
    expect((await post(chart, document(stranger))).status).toBe(422)
    expect(chart.all('DocumentReference')).toEqual([])
    expect(chart.writes.map(({ status }) => status)).toEqual([400, 422, 422, 422])
  })

  it('is there though the answer was lost', async () => {
    const chart = await start(profile)
    chart.loseNextAnswer()
    await expect(post(chart, document())).rejects.toThrow()
    expect(chart.all('DocumentReference')).toHaveLength(1)
    expect((await post(chart, document())).status).toBe(201)
  })
})

describe('the chart epic', () => {
  it('names what it created in Location only, now by address and now by path', async () => {
    const chart = await start(epic)
    const answers = [await post(chart, document()), await post(chart, document())]
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['', ''])
    const locations = answers.map((answer) => answer.headers.get('location') ?? '')
    const ids = chart.all('DocumentReference').map(({ id }) => id)
    expect(locations.map((location) => location.split('/').at(-3))).toEqual(ids)
    expect(locations.filter((location) => location.startsWith(chart.url))).toHaveLength(1)
  })

  it('says in an entry without id that nothing was found', async () => {
    const chart = await start(epic)
    const { entry } = await bundle(get(chart, 'DocumentReference?identifier=s%7Cv'))
    expect(entry).toMatchObject([{ search: { mode: 'outcome' }, resource: { resourceType: 'OperationOutcome' } }])
    expect(entry?.[0]?.resource).not.toHaveProperty('id')
  })

  it('refuses a search parameter that it does not know, and types that it does not have', async () => {
    const chart = await start(epic)
    const answer = await get(chart, 'Task?priority=stat')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ resourceType: 'OperationOutcome' })
    expect((await get(chart, 'Coverage?_id=1')).status).toBe(404)
  })

  it('updates a Task and a document, creates no Task, and changes no message', async () => {
    const chart = await start(epic)
    const { id } = chart.seed(task())
    expect((await put(chart, `Task/${id}`, task({ id, status: 'completed' }))).status).toBe(200)
    expect(chart.all('Task')).toMatchObject([{ status: 'completed', meta: { versionId: '2' } }])
    expect((await post(chart, task())).status).toBe(405)
    expect((await put(chart, 'Task/new', task({ id: 'new' }))).status).toBe(404)
    const sent = chart.seed(message())
    expect((await put(chart, `Communication/${sent.id}`, message({ id: sent.id }))).status).toBe(405)
  })
})

describe('the chart oracle-health', () => {
  it('updates a document only against its version', async () => {
    const chart = await start(oracleHealth)
    const { id } = chart.seed(document())
    const read = await get(chart, `DocumentReference/${id}`)
    expect(read.headers.get('etag')).toBe('W/"1"')
    const write = (match: Record<string, string>) =>
      put(chart, `DocumentReference/${id}`, document({ id, status: 'superseded' }), match)
    expect((await write({})).status).toBe(428)
    chart.edit('DocumentReference', id, (held) => void (held.status = 'entered-in-error'))
    expect((await write({ 'if-match': 'W/"1"' })).status).toBe(412)
    const taken = await write({ 'if-match': 'W/"2"' })
    expect([taken.status, taken.headers.get('etag')]).toEqual([200, 'W/"3"'])
  })

  it('finds documents by patient, not by identifier', async () => {
    const chart = await start(oracleHealth)
    chart.seed(document())
    expect((await get(chart, 'DocumentReference?identifier=s%7Cv')).status).toBe(400)
    expect((await bundle(get(chart, 'DocumentReference?patient=pat-1'))).total).toBe(1)
    expect((await bundle(get(chart, 'DocumentReference?patient=Patient/other'))).total).toBe(0)
  })

  it('drops what it does not support without a word', async () => {
    const chart = await start(oracleHealth)
    expect((await post(chart, document({ docStatus: 'final', description: 'Letter' }))).status).toBe(201)
    expect((await post(chart, message({ partOf: [{ display: 'Task' }] }))).status).toBe(201)
    expect(chart.all('DocumentReference')[0]).not.toHaveProperty('docStatus')
    expect(chart.all('DocumentReference')[0]).not.toHaveProperty('description')
    expect(chart.all('Communication')[0]).not.toHaveProperty('partOf')
  })

  it('refuses files and recipients that it does not take', async () => {
    const chart = await start(oracleHealth)
    const file = (contentType: string) => document({ content: [{ attachment: { contentType, data: 'aGVsbG8=' } }] })
    expect((await post(chart, file('application/msword'))).status).toBe(422)
    expect((await post(chart, file('text/plain; charset=utf-8'))).status).toBe(201)
    const to = (reference: string) => message({ recipient: [{ reference }] })
    expect((await post(chart, message({ recipient: [{ display: 'Client team' }] }))).status).toBe(422)
    expect((await post(chart, to('Practitioner/nobody'))).status).toBe(422)
    const { id } = chart.seed({ resourceType: 'Practitioner' })
    expect((await post(chart, to(`Practitioner/${id}`))).status).toBe(201)
  })

  it('patches a message', async () => {
    const chart = await start(oracleHealth)
    const { id } = chart.seed(message({ payload: [{ contentString: 'Before.' }] }))
    const patch = (operations: object[]) =>
      fetch(`${chart.url}/Communication/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json-patch+json' },
        body: JSON.stringify(operations),
      })
    expect((await patch([{ op: 'replace', path: '/payload/0/contentString', value: 'After.' }])).status).toBe(200)
    expect((await patch([{ op: 'add', path: '/payload/-', value: { contentString: 'More.' } }])).status).toBe(200)
    expect((await patch([{ op: 'remove', path: '/topic' }])).status).toBe(422)
    expect(chart.all('Communication')[0]?.payload).toEqual([{ contentString: 'After.' }, { contentString: 'More.' }])
  })
})

describe('the chart canvas', () => {
  it('passes over search parameters that it does not know', async () => {
    const chart = await start(canvas)
    for (const value of ['a', 'b', 'c']) chart.seed(task({ identifier: [{ system: 's', value }] }))
    expect((await bundle(get(chart, 'Task?identifier=s%7Ca'))).total).toBe(3)
    chart.seed(task())
    expect((await bundle(get(chart, 'Task?patient=Patient/pat-1&_count=50'))).entry).toHaveLength(3)
    expect((await bundle(get(chart, 'Task?patient=Patient/other'))).total).toBe(0)
  })

  it('fills in a Task by itself, and updates it without versions', async () => {
    const chart = await start(canvas)
    const created = await post(chart, task())
    const id = created.headers.get('location')?.split('/').at(-3) ?? ''
    expect([created.status, await created.text(), created.headers.get('etag')]).toEqual([201, '', null])
    const [held] = chart.all('Task')
    expect(held).toMatchObject({ id, intent: 'unknown', requester: { display: 'Chart robot' } })
    expect(held?.note).toHaveLength(1)
    expect(held?.authoredOn).toBeDefined()
    const update = put(chart, `Task/${id}`, task({ id, status: 'completed' }), { 'if-match': 'W/"9"' })
    expect((await update).status).toBe(200)
    const filed = chart.seed(document())
    expect((await put(chart, `DocumentReference/${filed.id}`, document({ id: filed.id }))).status).toBe(405)
  })
})

describe('the chart read-only', () => {
  it('shows what it has and takes nothing', async () => {
    const chart = await start(readOnly)
    const { id } = chart.seed(document())
    expect((await get(chart, `DocumentReference/${id}`)).status).toBe(200)
    expect((await put(chart, `DocumentReference/${id}`, document({ id }))).status).toBe(403)
    expect((await get(chart, 'DocumentReference?patient=pat-1&_count=5')).status).toBe(400)
    expect(chart.all('DocumentReference')[0]?.meta.versionId).toBe('1')
  })
})

describe('the chart everything', () => {
  const identifier = [{ system: 's', value: 'v' }]

  it('creates and updates on condition, with its own defaults', async () => {
    const chart = await start(everything)
    const created = await put(chart, 'Task?identifier=s%7Cv', task({ identifier }))
    expect([created.status, await created.json()]).toMatchObject([201, { priority: 'routine', intent: 'order' }])
    expect((await put(chart, 'Task?identifier=s%7Cv', task({ identifier, status: 'completed' }))).status).toBe(200)
    expect((await post(chart, task({ identifier }), { 'if-none-exist': 'identifier=s%7Cv' })).status).toBe(200)
    expect(chart.all('Task')).toMatchObject([{ status: 'completed', meta: { versionId: '2' } }])
    chart.seed(task({ identifier }))
    const several = await put(chart, 'Task?identifier=s%7Cv', task({ identifier }))
    expect([several.status, await several.json()]).toMatchObject([412, { issue: [{ code: 'multiple-matches' }] }])
  })

  it('honours If-Match where it is given, and a wish for an empty answer', async () => {
    const chart = await start(everything)
    const { id } = chart.seed(task())
    const write = (headers: Record<string, string>) => put(chart, `Task/${id}`, task({ id }), headers)
    expect((await write({ 'if-match': 'W/"7"' })).status).toBe(412)
    expect(await (await write({ 'if-match': 'W/"1"', prefer: 'return=minimal' })).text()).toBe('')
    expect((await write({})).headers.get('etag')).toBe('W/"3"')
    expect((await put(chart, 'Task/own-id', task({ id: 'own-id' }))).status).toBe(201)
  })

  it('fails and refuses as the test says', async () => {
    const chart = await start(everything)
    chart.failNext({ method: 'POST', type: 'Task', status: 503 })
    expect((await get(chart, 'metadata')).status).toBe(200)
    expect((await get(chart, 'Task?_id=1')).status).toBe(200)
    expect((await post(chart, task())).status).toBe(503)
    expect((await post(chart, task())).status).toBe(201)
    chart.refuse('Task', 403)
    expect((await get(chart, 'Task?_id=1')).status).toBe(403)
    expect((await post(chart, document())).status).toBe(201)
    chart.refuse('Task')
    expect((await get(chart, 'Task?_id=1')).status).toBe(200)
    expect(chart.requests.get('POST Task')).toBe(2)
  })
})
