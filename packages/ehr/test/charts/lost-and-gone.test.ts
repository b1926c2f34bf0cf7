import { afterEach, describe, expect, it } from 'vitest'
import { type Fetch, leanFetch } from '../../../base/src/net/fetch.ts'
import type { FhirEhrOptions } from '../../src/fhir/fhir-ehr.ts'
import type { Ehr } from '../../src/ehr.ts'
import { Message, type PriorAuthorization } from '../../../client/src/schemas/prior-authorization.ts'
import { everything } from '../../../../test/support/charts/everything.ts'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { nameless, namelessCreating, remembering } from '../../../../test/support/charts/remembering.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import {
  sampleBenefitVerification,
  sampleMessage,
  samplePriorAuthorization,
  sampleTransfer,
} from '../../../../test/support/samples.ts'
import { currentDocuments, textOf } from './chart-reading.ts'
import { createChartEhr, token } from './connect.ts'
import type { Remembered } from '../../../base/src/system-notes.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

const patient = { mrn: '0007', internal_id: '1007', date_of_birth: '1970-01-31' }
const pa = (different: Record<string, unknown> = {}) => samplePriorAuthorization({ patient, ...different })
const approved = { status: 'completed', outcome: { result: 'Approved' } }

async function start(profile: ChartProfile, fetch: Fetch = leanFetch, options: Partial<FhirEhrOptions> = {}) {
  const chart = await startChart(profile, { token })
  charts.push(chart)
  chart.seedPatient({ mrn: '0007', birthDate: '1970-01-31', name: 'Testa Sample' })
  const system = createChartEhr(chart, {
    messageRecipient: 'Group/prior-authorizations',
    fetch,
    ...options,
  })
  return { chart, open: system.open }
}

describe.each([nameless, namelessCreating])('the chart $name, which keeps no identifier', (profile) => {
  it('shows one document where the answer to its create was lost, and it changed since', async () => {
    const { chart, open } = await start(profile)
    const run = createTestRun()
    chart.loseNextAnswer({ type: 'DocumentReference' })
    await expect(open(run).putPriorAuthorization(pa())).rejects.toMatchObject({ code: 'ehr_write_failed' })
    await open(run).putPriorAuthorization(pa(approved))
    const shown = currentDocuments(chart.all('DocumentReference')).map(textOf)
    expect(shown).toHaveLength(1)
    expect(shown[0]).toContain('Approved')
  })

  it('has the document of another PA of the patient left alone', async () => {
    const { chart, open } = await start(profile)
    await open(createTestRun()).putPriorAuthorization(pa({ id: 'pa_req_2' }))
    const run = createTestRun()
    chart.failNext({ method: 'POST', type: 'DocumentReference', status: 503 })
    await expect(open(run).putPriorAuthorization(pa())).rejects.toMatchObject({ code: 'ehr_write_failed' })
    await open(run).putPriorAuthorization(pa())
    const shown = currentDocuments(chart.all('DocumentReference')).map(textOf)
    expect(new Set(shown.map((text) => /pa_req_\d/.exec(text)?.[0]))).toEqual(new Set(['pa_req_1', 'pa_req_2']))
    expect(shown).toHaveLength(2)
  })

  it('shows one document where it keeps the content behind an address of its own', async () => {
    const contents = new Map<string, string>()
    const { chart, open } = await start(profile, async (address, init) => {
      const name = /\/Binary\/(\w+)$/.exec(address)?.[1]
      if (name === undefined) return leanFetch(address, init)
      return { status: 200, headers: new Headers(), text: async () => contents.get(name) ?? '' }
    })
    const run = createTestRun()
    chart.loseNextAnswer({ type: 'DocumentReference' })
    await expect(open(run).putPriorAuthorization(pa())).rejects.toMatchObject({ code: 'ehr_write_failed' })
    for (const { id } of chart.all('DocumentReference'))
      chart.edit('DocumentReference', id, ({ content }) => {
        for (const [at, { attachment }] of content.entries()) {
          contents.set(`b${at}`, Buffer.from(attachment.data ?? '', 'base64').toString())
          attachment.url = `Binary/b${at}`
          delete attachment.data
          delete attachment.hash
        }
      })
    await open(run).putPriorAuthorization(pa(approved))
    expect(currentDocuments(chart.all('DocumentReference'))).toHaveLength(1)
  })

  it('shows one PDF where it keeps the bytes as a Binary', async () => {
    let data = ''
    const binary: Fetch = async (address, init) => {
      if (!address.endsWith('/Binary/b1')) return leanFetch(address, init)
      const body = JSON.stringify({ resourceType: 'Binary', contentType: 'application/pdf', data })
      return { status: 200, headers: new Headers(), text: async () => body }
    }
    const documents = { author: { display: 'Desk' }, formats: ['application/pdf'] as const }
    const { chart, open } = await start(profile, binary, { documents })
    const run = createTestRun()
    chart.loseNextAnswer({ type: 'DocumentReference' })
    await expect(open(run).putPriorAuthorization(pa())).rejects.toMatchObject({ code: 'ehr_write_failed' })
    for (const { id } of chart.all('DocumentReference'))
      chart.edit('DocumentReference', id, ({ content }) => {
        const [{ attachment } = { attachment: {} }] = content
        data = attachment.data ?? ''
        Object.assign(attachment, { url: 'Binary/b1', data: undefined, hash: undefined })
      })
    await open(run).putPriorAuthorization(pa(approved))
    expect(data).not.toBe('')
    expect(currentDocuments(chart.all('DocumentReference'))).toHaveLength(1)
  })
})

it('an earlier content of a document that comes back is filed again where its first create did not arrive', async () => {
  const { chart, open } = await start(namelessCreating)
  const run = createTestRun()
  await open(run).putPriorAuthorization(pa())
  await open(run).putPriorAuthorization(pa(approved))
  chart.failNext({ method: 'POST', type: 'DocumentReference', status: 503 })
  await expect(open(run).putPriorAuthorization(pa())).rejects.toMatchObject({ code: 'ehr_write_failed' })
  await open(run).putPriorAuthorization(pa())
  const shown = currentDocuments(chart.all('DocumentReference')).map(textOf)
  expect(shown).toHaveLength(1)
  expect(shown[0]).not.toContain('Approved')
})

describe('a task whose answer was lost, where the chart keeps no identifier', () => {
  const asked = { title: 'Act on it', reason: 'review', instructions: 'See what is asked for.' }
  const transferred = { prescription_transfer: sampleTransfer({ status: 'in_progress' }) }
  it.each([
    ['state', (ehr: Ehr, of: PriorAuthorization) => ehr.putPriorAuthorization(of)],
    ['transfer', (ehr: Ehr, of: PriorAuthorization) => ehr.putPrescriptionTransfer(of)],
    ['staff task', (ehr: Ehr, of: PriorAuthorization) => ehr.openStaffTask(of, asked)],
    ['staff task with a key', (ehr: Ehr, of: PriorAuthorization) => ehr.openStaffTask(of, { ...asked, key: of.id })],
  ])('is taken over as the %s of its PA, beside that of another PA of the same drug', async (_of, put) => {
    const { chart, open } = await start(nameless)
    const other = pa({ id: 'pa_req_2', ...transferred })
    await put(open(createTestRun()), other)
    const run = createTestRun()
    chart.loseNextAnswer({ type: 'Task' })
    await expect(put(open(run), pa(transferred))).rejects.toMatchObject({ code: 'ehr_write_failed' })
    await put(open(run), pa({ ...transferred, priority: 0 }))
    const named = chart.all('Task').map(({ description = '' }) => /pa_req_\d/.exec(description)?.[0])
    expect(named).toEqual(['pa_req_2', 'pa_req_1'])
    const again = createTestRun()
    chart.failNext({ method: 'POST', type: 'Task', status: 503 })
    await expect(put(open(again), pa({ id: 'pa_req_3', ...transferred }))).rejects.toThrow()
    await put(open(again), pa({ id: 'pa_req_3', ...transferred }))
    expect(chart.all('Task')).toHaveLength(3)
  })
})

it('a message whose answer was lost is found by its words and time where the chart keeps no identifier', async () => {
  const { chart, open } = await start(nameless)
  const run = createTestRun()
  const message = Message.parse(sampleMessage({ content: 'Please add the last lab result.' }))
  chart.loseNextAnswer({ type: 'Communication' })
  await expect(open(run).putMessage(pa(), message)).rejects.toMatchObject({ code: 'ehr_write_failed' })
  await open(run).putMessage(pa(), message)
  expect(chart.all('Communication')).toHaveLength(1)
})

describe('a resource that pawl wrote, and the chart has no more', () => {
  it.each([
    [remembering, 'Task'],
    [remembering, 'DocumentReference'],
    [everything, 'Task'],
  ] as const)('is created again on the chart $name', async (profile, type) => {
    const { chart, open } = await start(profile)
    const run = createTestRun()
    await open(run).putPriorAuthorization(pa())
    for (const { id } of chart.all(type)) chart.remove(type, id)
    await open(run).putPriorAuthorization(pa(approved))
    expect(chart.all(type)).toHaveLength(1)
  })
})

it('one insurance is one Coverage, however many BVs ask for it, where the chart finds nothing by identifier', async () => {
  const { chart, open } = await start(remembering)
  const shared = new Map<string, Remembered>()
  const insurance = [{ discrete_content: { member_number: 'M-100', payer_name: 'Sample Payer' } }]
  for (const id of ['bv_1', 'bv_2', 'bv_1', 'bv_3']) {
    const bv = sampleBenefitVerification({ id, patient, insurance })
    const run = createTestRun({ resourceId: id, kind: 'benefit_verification' }, shared)
    await open(run).putBenefitVerification(bv)
  }
  expect(chart.all('Coverage')).toHaveLength(1)
  const other = sampleBenefitVerification({
    id: 'bv_4',
    patient,
    insurance: [{ discrete_content: { member_number: 'M-200' } }],
  })
  await open(createTestRun({ resourceId: 'bv_4' }, shared)).putBenefitVerification(other)
  expect(chart.all('Coverage')).toHaveLength(2)
})
