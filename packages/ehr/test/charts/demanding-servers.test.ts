import { afterEach, describe, expect, it } from 'vitest'
import { demandingAthenaPractice } from '../../../../test/support/charts/demanding/demanding-athenapractice.ts'
import { demandingCanvas } from '../../../../test/support/charts/demanding/demanding-canvas.ts'
import { demandingEpic } from '../../../../test/support/charts/demanding/demanding-epic.ts'
import { demandingOracleHealth } from '../../../../test/support/charts/demanding/demanding-oracle-health.ts'
import { validatingUsCore } from '../../../../test/support/charts/demanding/validating.ts'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

/** A chart with two patients, an encounter of each, and a practitioner. */
async function start(profile: ChartProfile): Promise<Chart> {
  const chart = await startChart(profile)
  charts.push(chart)
  for (const id of ['p1', 'p2']) {
    chart.seedPatient({ id, mrn: id, birthDate: '1970-01-31', name: 'Testa Sample' })
    const subject = { reference: `Patient/${id}` }
    chart.seed({ resourceType: 'Encounter', id: `e-${id}`, status: 'finished', class: { code: 'AMB' }, subject })
  }
  chart.seed({ resourceType: 'Practitioner', id: 'd1' })
  return chart
}

/** A resource as it is sent, which may lack what FHIR demands. */
interface Sent {
  resourceType: 'DocumentReference' | 'Communication' | 'Task'
  [element: string]: unknown
}

const send = (chart: Chart, resource: Sent, id?: string) =>
  fetch(`${chart.url}/${resource.resourceType}${id === undefined ? '' : `/${id}`}`, {
    method: id === undefined ? 'POST' : 'PUT',
    headers: { 'content-type': 'application/fhir+json', 'if-match': 'W/"1"' },
    body: JSON.stringify({ ...resource, ...(id !== undefined && { id }) }),
  })

const doctor = { reference: 'Practitioner/d1' }
const canvasUrl = 'http://schemas.canvasmedical.com/fhir/document-reference'
const contentOf = (contentType: string) => [{ attachment: { contentType, data: 'aGVsbG8=' } }]
const document: Sent = {
  resourceType: 'DocumentReference',
  status: 'current',
  docStatus: 'final',
  type: { coding: [{ system: 'http://loinc.org', code: '51851-4' }] },
  subject: { reference: 'Patient/p1' },
}
const extensions = [
  { url: `${canvasUrl}-clinical-date`, valueDate: '2026-03-01' },
  { url: `${canvasUrl}-reviewer`, valueReference: doctor },
  { url: `${canvasUrl}-requires-signature`, valueBoolean: false },
  { url: `${canvasUrl}-review-mode`, valueCode: 'RN' },
]
const typed = (...codes: [system: string, code: string][]) => ({
  type: { coding: codes.map(([system, code]) => ({ system, code })) },
})
const loinc = 'http://loinc.org'

/** A note as Epic takes it. */
const note: Sent = {
  ...document,
  ...typed([loinc, '34109-9']),
  content: contentOf('text/plain'),
  context: { encounter: [{ reference: 'Encounter/e-p1' }] },
}

/** A resource that each chart takes, and changes of which each alone makes it refuse. */
const cases: [ChartProfile, number, Sent, Record<string, object>][] = [
  [
    demandingEpic,
    400,
    note,
    {
      'no encounter': { context: {} },
      'the encounter of another patient': { context: { encounter: [{ reference: 'Encounter/e-p2' }] } },
      'no type': { type: undefined },
      'a type of another workflow': typed([loinc, '18842-5']),
      'a type that Epic has no note for': typed([loinc, '51851-4']),
      'a type of another system': typed(['urn:oid:2.999.1', '7']),
      'no docStatus': { docStatus: undefined },
      'a PDF': { content: contentOf('application/pdf') },
      'two attachments': { content: [...contentOf('text/plain'), ...contentOf('text/plain')] },
      'an author who is no practitioner': { author: [{ display: 'Desk' }] },
    },
  ],
  [
    demandingOracleHealth,
    400,
    {
      ...document,
      content: contentOf('application/xhtml+xml;charset=utf-8'),
      context: { period: { end: '2026-03-01T12:00:00Z' } },
    },
    {
      'no period': { context: {} },
      'a period without a time': { context: { period: { end: '2026-03-01' } } },
      'no charset': { content: contentOf('application/xhtml+xml') },
      'a preliminary one': { docStatus: 'preliminary' },
      'no docStatus': { docStatus: undefined },
      'an author who is no practitioner': { author: [{ display: 'Desk' }] },
      'two contents': { content: [...contentOf('application/pdf'), ...contentOf('application/pdf')] },
      'a picture': { content: contentOf('image/tiff') },
      'no type': { type: undefined },
      'a type by LOINC and by a code of its own': typed([loinc, '51851-4'], ['https://own/codeSet/72', '7']),
      'a date of creation without a time': {
        content: contentOf('application/pdf').map(({ attachment }) => ({
          attachment: { ...attachment, creation: '2026-03-01' },
        })),
      },
    },
  ],
  [
    demandingOracleHealth,
    400,
    {
      resourceType: 'Communication',
      status: 'completed',
      category: [{ text: 'notification' }],
      subject: { reference: 'Patient/p1' },
      recipient: [{ reference: 'Group/g1' }],
      sender: doctor,
      payload: [{ contentAttachment: { contentType: 'text/plain;charset=utf-8', data: 'aGVsbG8=' } }],
    },
    {
      'no category': { category: undefined },
      'no sender': { sender: undefined },
      'a sender without reference': { sender: { display: 'Service team' } },
      'no recipient': { recipient: undefined },
      'a recipient of another type': { recipient: [{ reference: 'Organization/1' }] },
      'words as a string': { payload: [{ contentString: 'hello' }] },
    },
  ],
  [
    demandingCanvas,
    422,
    {
      ...document,
      category: [{ coding: [{ system: `${canvasUrl}-category`, code: 'patientadministrativedocument' }] }],
      description: 'Uncategorized Administrative Document',
      extension: extensions,
      content: contentOf('application/pdf'),
    },
    {
      'a category of US Core': { category: [{ coding: [{ system: 'http://us-core', code: 'clinical-note' }] }] },
      'a title of its own': { description: 'Prior authorization' },
      'no clinical date': { extension: extensions.slice(1) },
      'no reviewer': { extension: extensions.filter((_, at) => at !== 1) },
      'no word on a signature': { extension: extensions.filter((_, at) => at !== 2) },
      'a review mode in words': {
        extension: [...extensions.slice(0, 3), { url: `${canvasUrl}-review-mode`, valueString: 'RN' }],
      },
      'a type that it does not list': typed([loinc, '11506-3']),
      'the category of another type': typed([loinc, '34109-9']),
      'plain text': { content: contentOf('text/plain') },
      'an author who is no practitioner': { author: [{ display: 'Desk' }] },
    },
  ],
  [
    demandingCanvas,
    422,
    {
      resourceType: 'Task',
      status: 'requested',
      intent: 'unknown',
      description: 'Prior authorization',
      for: { reference: 'Patient/p1' },
      requester: doctor,
    },
    {
      'a status that it does not know': { status: 'in-progress' },
      'an intent': { intent: 'order' },
      'no description': { description: undefined },
      'no requester': { requester: undefined },
      'an owner who is no practitioner': { owner: { display: 'Nurse' } },
      'an input that is no label': { input: [{ type: { text: 'Diagnosis' }, valueString: 'E11.9' }] },
    },
  ],
  [
    demandingAthenaPractice,
    400,
    { ...document, author: [doctor], authenticator: doctor, content: contentOf('text/rtf') },
    {
      'no author': { author: undefined },
      'no authenticator': { authenticator: undefined },
      'a PDF': { content: contentOf('application/pdf') },
    },
  ],
  [
    validatingUsCore,
    422,
    {
      ...document,
      category: [
        {
          coding: [
            {
              system: 'http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category',
              code: 'clinical-note',
            },
          ],
        },
      ],
      content: contentOf('text/plain'),
    },
    { 'no category': { category: undefined }, 'no type': { type: undefined } },
  ],
]

describe.each(cases)('the chart $0.name', ({ ...profile }, status, taken, refused) => {
  const { resourceType } = taken

  it(`takes a ${resourceType} that meets every demand`, async () => {
    expect((await send(await start(profile), taken)).status).toBe(201)
  })

  it.each(Object.entries(refused))(`refuses a ${resourceType} with %s`, async (_, different) => {
    const chart = await start(profile)
    const answer = await send(chart, { ...taken, ...different })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ resourceType: 'OperationOutcome' })
    expect(chart.all(resourceType)).toEqual([])
  })
})

it("Epic takes a note of the organization's own type", async () => {
  const own = typed(['urn:oid:1.2.840.114350.1.13.1.1.7.4.737880.5010', '1'])
  expect((await send(await start(demandingEpic), { ...note, ...own })).status).toBe(201)
})

describe('an update', () => {
  it('of a note is refused by Epic', async () => {
    const chart = await start(demandingEpic)
    await send(chart, note)
    const [held] = chart.all('DocumentReference')
    expect((await send(chart, note, held?.id)).status).toBe(400)
  })

  it.each([
    ['application/xhtml+xml;charset=utf-8', 200],
    ['text/plain;charset=utf-8', 400],
  ])('with %s is answered with %i by Oracle Health', async (contentType, status) => {
    const chart = await start(demandingOracleHealth)
    const page: Sent = {
      ...document,
      content: contentOf(contentType),
      context: { period: { end: '2026-03-01T12:00:00Z' } },
    }
    expect((await send(chart, page)).status).toBe(201)
    const [held] = chart.all('DocumentReference')
    expect((await send(chart, page, held?.id)).status).toBe(status)
  })

  it.each(['meta', 'identifier', 'category', 'description', 'date'])(
    'with %s is refused by Oracle Health, and one without leaves it as it was',
    async (name) => {
      const chart = await start(demandingOracleHealth)
      const page: Sent = {
        ...document,
        content: contentOf('application/pdf'),
        context: { period: { end: '2026-03-01T12:00:00Z' } },
      }
      const more: Record<string, unknown> = {
        meta: { versionId: '1' },
        identifier: [{ system: 'urn:x', value: '1' }],
        category: [{ text: 'Letter' }],
        description: 'A letter',
        date: '2026-03-01T12:00:00Z',
      }
      await send(chart, { ...page, ...more })
      const [{ id } = {}] = chart.all('DocumentReference')
      expect((await send(chart, { ...page, [name]: more[name] }, id)).status).toBe(400)
      expect((await send(chart, { ...page, docStatus: 'amended' }, id)).status).toBe(200)
      const { meta: _meta, ...kept } = more
      expect(chart.all('DocumentReference')).toMatchObject([{ ...kept, docStatus: 'amended' }])
    },
  )

  it('of a Canvas task adds its notes to those that are there', async () => {
    const chart = await start(demandingCanvas)
    const note = [{ text: 'Called.' }]
    const task: Sent = {
      resourceType: 'Task',
      status: 'requested',
      intent: 'unknown',
      description: 'A task',
      requester: doctor,
      for: { reference: 'Patient/p1' },
    }
    await send(chart, { ...task, note })
    const [held] = chart.all('Task')
    await send(chart, { ...task, note }, held?.id)
    expect(chart.all('Task')[0]?.note).toEqual([...note, ...note])
  })

  it.each([demandingEpic, demandingCanvas])(
    'and every write of a type with another purpose is refused: $name',
    async (profile) => {
      const chart = await start(profile)
      const answer = await send(chart, {
        resourceType: 'Communication',
        status: 'completed',
        subject: { reference: 'Patient/p1' },
      })
      expect(answer.status).toBeGreaterThanOrEqual(400)
    },
  )
})
