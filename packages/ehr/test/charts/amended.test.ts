import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { amendmentRole, noteOfAmendment } from '../../../base/src/amendment.ts'
import { amendFault } from '../../src/fhir/amend.ts'
import { refusingCategory } from '../../../../test/support/charts/refusing-category.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'
import { createTestRun, type TestRun } from '../../../../test/support/run-context.ts'
import { samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { createChartEhr, token } from './connect.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

let isStrict: boolean
beforeEach(() => void (isStrict = true))

const pa = (id: string, status: string) =>
  samplePriorAuthorization({
    id,
    status,
    patient: { mrn: '0007', date_of_birth: '1970-01-31' },
    ...(status === 'completed' && { outcome: { result: 'Approved' } }),
  })

async function start() {
  const chart = await startChart(
    refusingCategory(() => isStrict),
    { token },
  )
  charts.push(chart)
  chart.seedPatient({ mrn: '0007', birthDate: '1970-01-31', name: 'Testa Sample' })
  const system = createChartEhr(chart)
  const put = (run: TestRun, id: string, status: string) => system.open(run).putPriorAuthorization(pa(id, status))
  return { chart, system, put }
}

const amend = (run: TestRun, without: string[], documentType?: string) =>
  run.memory.write(amendmentRole, noteOfAmendment({ without, document_type: documentType }))

describe('an amended resource', () => {
  it('is written without the element and with the type that a person said, and no other resource is', async () => {
    const { chart, put } = await start()
    const [run, other] = [createTestRun(), createTestRun({ resourceId: 'pa_req_2' })]
    await expect(put(run, 'pa_req_1', 'completed')).rejects.toMatchObject({ httpStatus: 422 })
    await amend(run, ['DocumentReference.category'], 'urn:clinic|letters')
    await put(run, 'pa_req_1', 'completed')
    const [document] = chart.all('DocumentReference')
    expect(document).toMatchObject({ type: { coding: [{ system: 'urn:clinic', code: 'letters' }] } })
    expect(document).not.toHaveProperty('category')
    expect(document?.subject).toBeDefined()
    await expect(put(other, 'pa_req_2', 'completed')).rejects.toMatchObject({ httpStatus: 422 })
  })

  it('stays so through repeats and doubts', async () => {
    const { chart, put } = await start()
    const run = createTestRun()
    await amend(run, ['DocumentReference.category'])
    await put(run, 'pa_req_1', 'completed')
    const written = chart.writes.length
    await put(run, 'pa_req_1', 'completed')
    await put(createTestRun({ memory: run.memory, inDoubt: true }), 'pa_req_1', 'completed')
    expect(chart.writes).toHaveLength(written)
  })

  it('leaves records alone that are in sync without it', async () => {
    const { chart, put } = await start()
    const run = createTestRun()
    isStrict = false
    await put(run, 'pa_req_1', 'completed')
    isStrict = true
    await amend(run, ['DocumentReference.category'], 'urn:clinic|letters')
    const written = chart.writes.length
    await put(run, 'pa_req_1', 'completed')
    await put(createTestRun({ memory: run.memory, inDoubt: true }), 'pa_req_1', 'completed')
    expect(chart.writes).toHaveLength(written)
  })
})

describe('what a person may leave out', () => {
  it.each([
    'DocumentReference.subject',
    'DocumentReference.identifier',
    'DocumentReference.status',
    'DocumentReference.docStatus',
    'DocumentReference.content',
    'DocumentReference.authenticator',
    'DocumentReference.relatesTo',
    'Task.for',
    'Task.output',
    'Communication.payload',
    'ClaimResponse.patient',
    'ClaimResponse.outcome',
    'Coverage.beneficiary',
    'Patient.name',
    'category',
    '',
  ])('is not %j', (path) => expect(amendFault({ without: [path] })).toMatch(/cannot be left out/))

  it('is named where it is not known, and a type has a system and a code', () => {
    expect(amendFault({ without: ['DocumentReference.context.encounter', 'Task.owner'] })).toBeUndefined()
    expect(amendFault({ without: ['nonsense'] })).toContain('DocumentReference.context.encounter')
    expect(amendFault({ without: [], document_type: 'http://loinc.org|34109-9' })).toBeUndefined()
    expect(amendFault({ without: [], document_type: 'letters' })).toMatch(/system\|code/)
  })
})
