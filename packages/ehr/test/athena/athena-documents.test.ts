import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PriorAuthorization } from '../../../client/src/schemas/prior-authorization.ts'
import { type AthenaOne, startAthenaOne } from '../../../../test/support/athena-one.ts'
import { readPdf } from '../../../../test/support/read-pdf.ts'
import { startRelay } from '../../../../test/support/relay.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import { samplePatient, samplePriorAuthorization } from '../../../../test/support/samples.ts'
import type { ChartFile } from '../../src/ehr.ts'
import { openAthena } from './open-athena.ts'

const number = '60178'
const patient = { ...samplePatient, mrn: number }
const approved = samplePriorAuthorization({
  patient,
  status: 'completed',
  outcome: { result: 'Approved', detail: 'Approved for a year.' },
})
const denied = samplePriorAuthorization({
  patient,
  status: 'completed',
  outcome: { result: 'Denied', detail: 'Not on the formulary.' },
})
const letter: ChartFile = {
  key: 'l',
  kind: 'letter',
  title: 'Letter of approval',
  at: '2026-03-01T12:00:00Z',
  contentType: 'application/pdf',
  content: Buffer.from('%PDF-1.4 a letter'),
}

let athena: AthenaOne
const closing: (() => Promise<void>)[] = []
beforeEach(async () => {
  athena = await startAthenaOne()
  closing.push(athena.close)
  athena.addPatient(number, '01/31/1970')
})
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

function open(different: Parameters<typeof openAthena>[1] = {}, port = athena.port) {
  const system = openAthena(port, different)
  closing.push(async () => system.close?.())
  return system
}

const live = () => athena.documents().filter(({ status }) => status !== 'DELETED')

async function textOf(pa: PriorAuthorization): Promise<string> {
  expect(live()).toHaveLength(1)
  const { pages } = await readPdf(live()[0]?.pdf ?? Buffer.alloc(0))
  expect(pages.join(' ')).toContain(pa.id)
  return pages.join(' ')
}

describe('a document for athenaOne', () => {
  it('is a PDF of its kind under patient and department, first in the inbox, with title and day', async () => {
    const run = createTestRun()
    await open().open(run).putFile(approved, letter)
    expect(athena.documents()).toMatchObject([
      {
        patientId: number,
        documentClass: 'admin',
        subclass: 'SIGNEDFORMSLETTERS',
        status: 'REVIEW',
        day: '03/01/2026',
        pdf: letter.content,
      },
    ])
    expect(athena.documents()[0]?.internalnote).toContain(approved.id)
    expect(run.receipts).toEqual([{ type: 'admin', id: String(athena.documents()[0]?.id) }])
  })

  it('is closed, of another class and a subclass for all kinds where the settings say so', async () => {
    const chart = open({ documentClass: 'clinicaldocument', subclasses: ['CONSULTNOTE'], isClosed: true })
    await chart.open(createTestRun()).putPriorAuthorization(approved)
    expect(athena.documents()).toMatchObject([
      { documentClass: 'clinicaldocument', subclass: 'CONSULTNOTE', status: 'CLOSED' },
    ])
    expect(await textOf(approved)).toContain('Approved for a year.')
  })

  it('that changed takes the place of its former one', async () => {
    const run = createTestRun()
    const chart = open()
    await chart.open(run).putPriorAuthorization(approved)
    await chart.open(run).putPriorAuthorization(denied)
    await chart.open(run).putPriorAuthorization(denied)
    expect(athena.documents()).toHaveLength(2)
    expect(await textOf(denied)).toContain('Not on the formulary.')
  })

  it('that athenaOne does not delete stays beside the newer one, and the log names it', async () => {
    const warn = vi.fn()
    const run = createTestRun({ log: { debug() {}, info() {}, warn, error() {} } })
    const chart = open()
    await chart.open(run).putPriorAuthorization(approved)
    athena.keepDocuments()
    await chart.open(run).putPriorAuthorization(denied)
    await chart.open(run).putPriorAuthorization(denied)
    expect(live()).toHaveLength(2)
    const former = String(athena.documents()[0]?.id)
    expect(warn.mock.calls).toEqual([[{ code: former }, expect.stringContaining('does not delete')]])
  })

  it.each([
    ['the same', approved, 'Approved for a year.'],
    ['other', denied, 'Not on the formulary.'],
  ])('whose answer was lost is filed once, though the next attempt has %s content', async (_, next, words) => {
    const relay = await startRelay(athena.port)
    closing.push(relay.close)
    const run = createTestRun()
    const chart = open({ deps: { timeoutMs: 2_000 } }, relay.port)
    // Their list has several pages.
    for (const key of ['1', '2', '3', '4', '5']) await chart.open(run).putFile(approved, { ...letter, key })
    relay.fail('lost_answer')
    await expect(chart.open(run).putPriorAuthorization(approved)).rejects.toMatchObject({ retry: 'backoff' })
    expect(live()).toHaveLength(6)
    relay.fail()
    await chart.open(run).putPriorAuthorization(next)
    expect(live()).toHaveLength(6)
    const { pages } = await readPdf(live().at(-1)?.pdf ?? Buffer.alloc(0))
    expect(pages.join(' ')).toContain(words)
  })

  it('of a text is a PDF of its words, and a file that no PDF can hold is told to staff', async () => {
    const run = createTestRun()
    const chart = open().open(run)
    await chart.putFile(approved, { ...letter, contentType: 'text/plain', content: Buffer.from('Please call back.') })
    await chart.putFile(approved, { ...letter, key: 'f', kind: 'fax_received', contentType: 'image/tiff' })
    expect(await textOf(approved)).toContain('Please call back.')
    expect(run.leftOuts).toMatchObject([{ type: expect.stringMatching(/^file\/fax_received\//) }])
  })
})

describe('the patient in athenaOne', () => {
  it.each([
    ['has another birth date', number, '02/01/1970', /has another birth date: correct it/],
    ['is unknown', '60179', '01/31/1970', /has no patient with the request's patient.mrn/],
    ['has no number', 'MRN-0007', '01/31/1970', /has no patient with the request's patient.mrn/],
  ])('who %s gets no document', async (_, mrn, dob, message) => {
    athena.addPatient(number, dob)
    const pa = samplePriorAuthorization({ patient: { ...patient, mrn } })
    const written = open().open(createTestRun()).putPriorAuthorization(pa)
    await expect(written).rejects.toMatchObject({ code: 'patient_not_found', message: expect.stringMatching(message) })
    expect(athena.documents()).toEqual([])
  })

  it('whose number is corrected gets the document, and the former patient keeps none', async () => {
    athena.addPatient('60179', '01/31/1970')
    const run = createTestRun()
    const chart = open()
    await chart.open(run).putPriorAuthorization(approved)
    await chart
      .open(run)
      .putPriorAuthorization(samplePriorAuthorization({ ...approved, patient: { ...patient, mrn: '60179' } }))
    expect(live().map(({ patientId }) => patientId)).toEqual(['60179'])
  })
})

describe('the token for athenaOne', () => {
  it('is shared, and fetched anew when it is refused', async () => {
    const chart = open()
    const run = createTestRun()
    await chart.open(run).putPriorAuthorization(approved)
    expect(athena.tokenRequests()).toBe(1)
    athena.withdrawTokens()
    await chart.open(run).putPriorAuthorization(denied)
    expect(athena.tokenRequests()).toBe(2)
    expect(live()).toHaveLength(1)
  })

  it('that is refused keeps all work waiting, and names the settings', async () => {
    const written = open({ clientSecret: 'another' }).open(createTestRun()).putPriorAuthorization(approved)
    await expect(written).rejects.toMatchObject({
      code: 'athena_token_refused',
      isOutage: true,
      costsAttempt: false,
      message: expect.stringContaining('ATHENA_CLIENT_SECRET'),
    })
  })
})

describe('a refusal of athenaOne', () => {
  it('names status and missing fields, and quotes nothing else', async () => {
    const written = open({ subclasses: ['NONE'] })
      .open(createTestRun())
      .putPriorAuthorization(approved)
    await expect(written).rejects.toMatchObject({ retry: 'never', httpStatus: 400 })
    athena.refuse(400)
    const error: unknown = await open()
      .open(createTestRun())
      .putPriorAuthorization(approved)
      .catch((each: unknown) => each)
    expect(String(error)).toContain('HTTP 400')
    expect(String(error)).not.toContain('1970')
    const noSubclass = open({ subclasses: [] }).open(createTestRun()).putPriorAuthorization(approved)
    athena.refuse()
    await expect(noSubclass).rejects.toThrow('it asks for documentsubclass')
  })
})

describe('a check of athenaOne', () => {
  const { signal } = new AbortController()

  it('finds token, department and test patient, and files and deletes a document', async () => {
    const report = await open().check?.(signal, { patient: number, write: true })
    expect(report).toMatchObject({ ok: true })
    expect(report?.findings.join(' ')).toMatch(/gives a token.*test patient.*was filed \(\d+\) and deleted again/)
    expect(live()).toEqual([])
  })

  it('writes nothing without being told', async () => {
    expect(await open().check?.(signal, { patient: number })).toMatchObject({ ok: true })
    expect(athena.documents()).toEqual([])
  })

  it.each([
    ['a secret', { clientSecret: 'another' }, /ATHENA_CLIENT_SECRET/],
    ['a department', { departmentId: '2' }, /ATHENA_DEPARTMENT_ID/],
    ['a subclass', { subclasses: ['NONE'] }, /HTTP 400/],
  ])('names %s that is wrong', async (_, different, finding) => {
    const report = await open(different).check?.(signal, { patient: number, write: true })
    expect(report).toMatchObject({ ok: false })
    expect(report?.findings.at(-1)).toMatch(finding)
  })
})
