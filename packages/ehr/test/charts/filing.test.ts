import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import request from 'supertest'
import { afterEach, describe, expect, it } from 'vitest'
import { copyJson } from '../../../base/src/copy-json.ts'
import { demandingCanvas } from '../../../../test/support/charts/demanding/demanding-canvas.ts'
import { demandingEpic } from '../../../../test/support/charts/demanding/demanding-epic.ts'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { startHl7Listener } from '../../../../test/support/hl7-listener.ts'
import { createPlayedFiles } from '../../../../test/support/played-files.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import { samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { createScriptedApi } from '../../../../test/support/scripted-api.ts'
import { startLocalGateway } from '../../../../test/support/start-local-gateway.ts'
import { until } from '../../../../test/support/until.ts'
import { deliver, envelope } from '../../../../test/support/webhook.ts'
import type { ChartFile } from '../../src/ehr.ts'
import type { ChosenFiling } from '../../src/filing.ts'
import { openHl7 } from '../hl7/open-hl7.ts'
import { everythingFiled } from './connect.ts'
import { approved, charts, files, message, openChart } from './journey.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A chart that the test closes in the end. */
async function open(profile: ChartProfile, filing: ChosenFiling = {}) {
  const opened = await openChart(profile, filing)
  closing.push(opened.chart.close)
  return opened
}

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
    expect(none).toMatchObject({ filed: 0, told: 0 })
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
  const { chart, system } = await open(demandingEpic)
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
  expect(text).toContain('<a href="/resources/pa_req_1" title="pa_req_1">pa_req_1</a>')
  expect(text).toContain('fax received')
})

it('a file that a chart with tasks does not take is a staff task that says where it is, once', async () => {
  const { chart, system } = await open(demandingCanvas)
  const pa = samplePriorAuthorization({ ...approved, url: 'https://service.example/pa_req_1' })
  const run = createTestRun()
  for (let times = 0; times < 2; times += 1) for (const file of files) await system.open(run).putFile(pa, file)
  expect(chart.all('Task').map(({ description }) => description)).toEqual([
    expect.stringMatching(/Fax received, Fax of the payer\. Open it at https:\/\/service\.example\/pa_req_1\./),
  ])
  expect(run.leftOuts).toEqual([])
})

it('a result that is filed alone is filed once, whatever goes on after it, and again when its transfer has ended', async () => {
  const { chart, system } = await open(demandingEpic)
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
  const { chart, system } = await open(demandingCanvas)
  const pa = samplePriorAuthorization(approved)
  const [letter] = files
  if (letter === undefined) throw new Error('The journey has a letter.')
  chart.failNext({ method: 'POST', type: 'DocumentReference', status: 413 })
  await expect(system.open(createTestRun()).putFile(pa, letter)).rejects.toMatchObject({ httpStatus: 413 })
  expect(chart.all('Task').map(({ description }) => description)).toEqual([expect.stringContaining(letter.title)])
})

it('a note is filed by its kind, and one of a handler of its own always', async () => {
  const { chart, system } = await open(demandingEpic, { benefits: 'none' })
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
