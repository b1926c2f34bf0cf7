import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import request from 'supertest'
import { afterEach, describe, expect, it } from 'vitest'
import { copyJson } from '../../../base/src/copy-json.ts'
import type { Message } from '../../../client/src/schemas/prior-authorization.ts'
import { demandingAthenaPractice } from '../../../../test/support/charts/demanding/demanding-athenapractice.ts'
import { demandingCanvas } from '../../../../test/support/charts/demanding/demanding-canvas.ts'
import { demandingEpic } from '../../../../test/support/charts/demanding/demanding-epic.ts'
import { demandingOracleHealth } from '../../../../test/support/charts/demanding/demanding-oracle-health.ts'
import { validatingMedplum } from '../../../../test/support/charts/demanding/validating.ts'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { startChart } from '../../../../test/support/charts/start-chart.ts'
import { startHl7Listener } from '../../../../test/support/hl7-listener.ts'
import { createPlayedFiles } from '../../../../test/support/played-files.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import {
  sampleBenefitVerification,
  sampleMessage,
  samplePatient,
  samplePriorAuthorization,
} from '../../../../test/support/samples.ts'
import { createScriptedApi } from '../../../../test/support/scripted-api.ts'
import { startLocalGateway } from '../../../../test/support/start-local-gateway.ts'
import { until } from '../../../../test/support/until.ts'
import { deliver, envelope } from '../../../../test/support/webhook.ts'
import type { ChartFile, Ehr } from '../../src/ehr.ts'
import type { ChosenFiling } from '../../src/filing.ts'
import { openHl7 } from '../hl7/open-hl7.ts'
import { createChartEhr, everythingFiled, token } from './connect.ts'
import { encountersOf, nurseId, practitioners } from './people.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const { mrn, date_of_birth: birthDate } = samplePatient
const approved = {
  status: 'completed',
  outcome: {
    result: 'Approved',
    detail_code: 'approval',
    detail: 'Approved for a year.',
    authorization_start_date: '2026-03-01',
    authorization_expiration: '2027-02-28',
  },
}
const states = [
  ...['created', 'processing', 'awaiting_outcome', 'awaiting_provider_response', 'validating_outcome'].map(
    (status) => ({ status }),
  ),
  approved,
]
const message = sampleMessage({ attachments: [] })
const files: readonly ChartFile[] = [
  { key: 'l', kind: 'letter', title: 'Letter of approval', contentType: 'application/pdf', content: Buffer.from('l') },
  { key: 'f', kind: 'fax_received', title: 'Fax of the payer', contentType: 'image/tiff', content: Buffer.from('f') },
]

/** One PA with a message, a letter and a fax, and a BV: what its shipped handlers put into a chart. */
async function journey(openFor: (resourceId: string) => Ehr): Promise<void> {
  for (const state of states) await openFor('pa_req_1').putPriorAuthorization(samplePriorAuthorization(state))
  const pa = samplePriorAuthorization(approved)
  await openFor('pa_req_1').putMessage(pa, message as Message)
  for (const file of files) await openFor('pa_req_1').putFile(pa, file)
  for (const status of ['pending', 'completed'])
    await openFor('bv_1').putBenefitVerification(sampleBenefitVerification({ status }))
}

/** Documents and messages that the journey leaves, and the files of which staff are told instead. */
interface Left {
  filed: number
  told: number
}

/** Runs of one process: what a resource's runs remember stays. */
function runsOf() {
  const runs = new Map<string, ReturnType<typeof createTestRun>>()
  const runFor = (resourceId: string) => {
    const run = runs.get(resourceId) ?? createTestRun({ resourceId })
    runs.set(resourceId, run)
    return run
  }
  const leftOutFiles = () =>
    [...runs.values()].flatMap(({ leftOuts }) => leftOuts.filter(({ type }) => type.startsWith('file/')))
  return { runFor, leftOutFiles }
}

const author = { reference: `Practitioner/${nurseId}` }

async function openChart(profile: ChartProfile, filing: ChosenFiling) {
  const chart = await startChart(profile, { token })
  closing.push(chart.close)
  const patientId = chart.seedPatient({ mrn, birthDate, name: 'Testa Sample' })
  for (const resource of [...practitioners, ...encountersOf(patientId)]) chart.seed(resource)
  const system = createChartEhr(chart, {
    messageRecipient: 'Group/prior-authorizations',
    encounter: profile === demandingEpic ? { kind: 'newest', days: 30 } : undefined,
    documents: { author },
    filing,
  })
  return { chart, system }
}

const byFhir =
  (profile: ChartProfile) =>
  async (filing: ChosenFiling): Promise<Left> => {
    const { chart, system } = await openChart(profile, filing)
    const { runFor, leftOutFiles } = runsOf()
    await journey((id) => system.open(runFor(id)))
    const tasks = chart.all('Task', ({ description }) => description?.startsWith('Look at a file') === true)
    return {
      filed: chart.all('DocumentReference').length + chart.all('Communication').length,
      told: tasks.length + leftOutFiles().length,
    }
  }

async function byHl7(filing: ChosenFiling): Promise<Left> {
  const listener = await startHl7Listener()
  closing.push(listener.close)
  const system = openHl7(listener.port, { filing })
  closing.push(async () => system.close?.())
  const { runFor, leftOutFiles } = runsOf()
  await journey((id) => system.open(runFor(id)))
  return { filed: listener.documents().length, told: leftOutFiles().length }
}

const charts = [
  ['Epic', byFhir(demandingEpic)],
  ['athenaPractice', byFhir(demandingAthenaPractice)],
  ['Canvas', byFhir(demandingCanvas)],
  ['HL7 v2', byHl7],
  ['Oracle Health', byFhir(demandingOracleHealth)],
  ['Medplum', byFhir(validatingMedplum)],
] as const
const choices = {
  'no setting': {},
  every: everythingFiled,
  'results, no messages': { states: 'results', benefits: 'results', messages: 'none' },
  none: { states: 'none', benefits: 'none', letters: 'none', messages: 'none' },
} as const satisfies Record<string, ChosenFiling>

/** One line for each chart, as docs/ehr.md has it. */
const rows: string[][] = []

describe.each(charts)('one PA with a message, a letter and a fax, and one BV, leave in %s', (name, play) => {
  it('no more than each choice says', async () => {
    const left = await Promise.all(Object.values(choices).map(play))
    const [usual, every, results, none] = left
    rows.push([name, ...left.map(({ filed }) => String(filed)), String(usual?.told)])
    expect(none).toEqual({ filed: 0, told: 0 })
    expect(every?.filed).toBeGreaterThan(results?.filed ?? 0)
    // Each file is filed or told, never both.
    const ends = 2
    expect((results?.filed ?? 0) + (results?.told ?? 0)).toBe(ends + files.length)
  })
})

const page = fileURLToPath(new URL('../../../../docs/ehr.md', import.meta.url))
const head = ['chart', ...Object.keys(choices), 'files told to staff']
const table = /\| chart +\| no setting [^\n]*\n(\|[^\n]*\n)*/

it('the table of docs/ehr.md has these counts', async () => {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
  if (process.env.UPDATE_GOLDEN === '1') {
    const written = (await readFile(page, 'utf8')).replace(table, lines)
    await writeFile(page, await format(written, { ...(await resolveConfig(page)), filepath: page }))
  }
  const [held = ''] = table.exec(await readFile(page, 'utf8')) ?? []
  expect(held.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')).toBe(lines)
})

it('a fax that Epic does not take is no note there, but in the list of what people look at, with a link to its PA', async () => {
  const { chart, system } = await openChart(demandingEpic, {})
  const service = createScriptedApi()
  const api = Object.assign(service.api, { downloadFile: createPlayedFiles().api.downloadFile })
  const gateway = await startLocalGateway({ api, ehr: system })
  closing.push(gateway.destroy)
  const fax = {
    id: 'fax_1',
    type: 'received_fax',
    created_at: '2026-03-02T10:00:00Z',
    details: { url: 'https://files.example/1' },
  }
  const pa = copyJson(samplePriorAuthorization({ ...approved, activity_log: [fax] }))
  service.set({ ...pa })
  await deliver(gateway.url, envelope({ ...pa }))
  await until('nothing is due', async () => (await gateway.ledger.counts()).due === 0, 60_000)
  expect(chart.all('DocumentReference')).toHaveLength(1)
  const { text } = await request(gateway.adminUrl).get('/work-queue').expect(200)
  expect(text).toMatch(/<a href="\/resources\/pa_req_1">pa_req_1<\/a>.*fax received/s)
})

it('a file that a chart with tasks does not take is a staff task that says where it is, once', async () => {
  const { chart, system } = await openChart(demandingCanvas, {})
  const pa = samplePriorAuthorization({ ...approved, url: 'https://service.example/pa_req_1' })
  const run = createTestRun()
  for (let times = 0; times < 2; times += 1) for (const file of files) await system.open(run).putFile(pa, file)
  expect(chart.all('Task').map(({ description }) => description)).toEqual([
    expect.stringMatching(/Fax received, Fax of the payer\. Open it at https:\/\/service\.example\/pa_req_1\./),
  ])
  expect(run.leftOuts).toEqual([])
})

it('a result that is filed alone is filed once, whatever goes on after it, and again when its transfer has ended', async () => {
  const { chart, system } = await openChart(demandingEpic, {})
  const run = createTestRun()
  const put = (different: Record<string, unknown>) =>
    system.open(run).putPriorAuthorization(samplePriorAuthorization({ ...approved, ...different }))
  const going = { prescription_transfer: { status: 'in_progress' } }
  const heard = { message_thread: { messages: [message] }, activity_log: [{ id: 'a', type: 'follow_up_call' }] }
  for (const different of [{}, heard, { ...heard, ...going }]) await put(different)
  expect(chart.all('DocumentReference')).toHaveLength(1)
  await put({ prescription_transfer: { status: 'completed' } })
  expect(chart.all('DocumentReference')).toHaveLength(2)
})

it('a file that a chart refuses for its size is told to staff as well', async () => {
  const { chart, system } = await openChart(demandingCanvas, {})
  const pa = samplePriorAuthorization(approved)
  const [letter] = files
  if (letter === undefined) throw new Error('The journey has a letter.')
  chart.failNext({ method: 'POST', type: 'DocumentReference', status: 413 })
  await expect(system.open(createTestRun()).putFile(pa, letter)).rejects.toMatchObject({ httpStatus: 413 })
  expect(chart.all('Task').map(({ description }) => description)).toEqual([expect.stringContaining(letter.title)])
})

it('a note is filed by its kind, and one of a handler of its own always', async () => {
  const { chart, system } = await openChart(demandingEpic, { benefits: 'none' })
  const pa = samplePriorAuthorization(approved)
  const run = createTestRun()
  for (const kind of ['contact', 'benefits', undefined] as const)
    await system.open(run).putNote(pa, { key: String(kind), kind, title: 'Note', text: `A note of kind ${kind}.` })
  const words = chart
    .all('DocumentReference')
    .map(({ content: [first] }) => Buffer.from(first?.attachment.data ?? '', 'base64').toString())
  expect(words).toEqual([expect.stringContaining('A note of kind undefined.')])
})

it('a file that no receiver of HL7 v2 shows is told to staff, and not sent', async () => {
  const listener = await startHl7Listener()
  closing.push(listener.close)
  const system = openHl7(listener.port)
  closing.push(async () => system.close?.())
  const run = createTestRun()
  const zip: ChartFile = {
    key: 'z',
    kind: 'attachment',
    title: 'Scans',
    contentType: 'application/zip',
    content: Buffer.from('z'),
  }
  await system.open(run).putFile(samplePriorAuthorization(approved), zip)
  expect(listener.received).toEqual([])
  expect(run.leftOuts).toEqual([{ type: `file/attachment/${run.digest('z')}`, reason: expect.any(String) }])
})
