import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Ehr } from '../../src/ehr.ts'
import { readOnly } from '../../../../test/support/charts/read-only.ts'
import { type Chart, internalIdSystem, mrnSystem, startChart } from '../../../../test/support/charts/start-chart.ts'
import { type Hl7Listener, startHl7Listener } from '../../../../test/support/hl7-listener.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import { samplePatient, samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { inspectSettings, openBySettings } from './open-hl7.ts'
import { readByMedplum } from './read-mdm.ts'

const faultsOf = (settings: Record<string, string>) => inspectSettings(settings).faults

describe('the settings of HL7 v2', () => {
  it.each<[settings: Record<string, string>, fault: RegExp]>([
    [{ EHR_URL: 'https://ehr.example:2575' }, /^EHR_URL: must be an address that starts with mllps:\/\/ or mllp:\/\//],
    [{ EHR_URL: 'mllps://ehr.example' }, /^EHR_URL: needs the port/],
    [{ EHR_URL: 'mllps://user:secret@ehr.example:2575' }, /^EHR_URL: must be host and port alone/],
    [{ EHR_URL: 'mllps://ehr.example:2575/path' }, /^EHR_URL: must be host and port alone/],
    [{ HL7_VERSION: '2.6' }, /^HL7_VERSION: must be one of/],
    [{ HL7_DOCUMENT_TYPE: 'CN,fox=X' }, /^HL7_DOCUMENT_TYPE: must be a code/],
    [{ HL7_SENDING_APPLICATION: 'A|B' }, /^HL7_SENDING_APPLICATION: must be a name/],
    [{ HL7_CERT_FILE: '/cert.pem' }, /^HL7_KEY_FILE: is missing/],
    [{ HL7_KEY_FILE: '/key.pem' }, /^HL7_CERT_FILE: is missing/],
    [{ HL7_COMPLETION_STATUS: 'AU' }, /^HL7_SIGNER: is missing; HL7_COMPLETION_STATUS claims a signature/],
    [{ HL7_COMPLETION_STATUS: 'LA' }, /^HL7_SIGNER: is missing/],
    [{ HL7_SIGNER: 'Muster' }, /^HL7_SIGNER: must be id\^family name\^given name/],
  ])('%j is refused', (settings, fault) => {
    expect(faultsOf(settings)).toEqual([expect.stringMatching(fault)])
  })

  it('may name types by kind and designators in full', () => {
    const settings = {
      EHR_URL: 'mllps://[::1]:2575',
      HL7_DOCUMENT_TYPE: 'CN, letter=LTR, fax=FAX',
      HL7_RECEIVING_FACILITY: 'CLINIC^2.999.1^ISO',
    }
    expect(faultsOf(settings)).toEqual([])
  })

  it('with a file that cannot be read keep pawl from starting, and name the setting', async () => {
    const settings = { EHR_URL: 'mllps://ehr.example:2575', HL7_CA_FILE: '/none/ca.pem' }
    expect(() => openBySettings(settings)).toThrow('HL7_CA_FILE: cannot be read (ENOENT)')
  })
})

describe('a chart by EHR_URL', () => {
  let listener: Hl7Listener
  let chart: Chart
  beforeAll(async () => {
    listener = await startHl7Listener()
    chart = await startChart(readOnly, { token: 'chart-token' })
  })
  afterAll(async () => {
    await listener.close()
    await chart.close()
  })

  afterEach(() => listener.answer())

  const open = (settings: Record<string, string> = {}) =>
    openBySettings({ EHR_URL: `mllp://127.0.0.1:${listener.port}`, ...settings })

  /** Writes with these settings; resolves with the messages that arrived. */
  async function messagesOf(id: string, settings: Record<string, string>, write: (ehr: Ehr) => Promise<void>) {
    const before = listener.received.length
    const system = open(settings)
    try {
      await write(system.open(createTestRun({ resourceId: id })))
    } finally {
      await system.close?.()
    }
    return listener.received.slice(before).map(String).map(readByMedplum)
  }

  async function put(id: string, settings: Record<string, string>, patient: Record<string, unknown> = {}) {
    const subject = samplePriorAuthorization({ id, status: 'processing', patient: { ...samplePatient, ...patient } })
    await messagesOf(id, settings, (ehr) => ehr.putPriorAuthorization(subject))
    return listener.documents().at(-1)
  }

  it('takes documents without FHIR, with what the settings say', async () => {
    const document = await put('pa_req_1', {
      NODE_ENV: 'production',
      HL7_PATIENT_FIELD: 'mrn',
      HL7_ASSIGNING_AUTHORITY: 'CLINIC^2.999.2^ISO',
      HL7_PATIENT_NUMBER_TYPE: 'PI',
      HL7_PATIENT_CLASS: 'N',
      HL7_VERSION: '2.3.1',
      HL7_CHARSET: '8859/1',
      HL7_DOCUMENT_TYPE: 'DOC,prior-authorization=PA',
      HL7_CONTENT: 'FT',
    })
    const text = document?.message.toString() ?? ''
    expect(document?.patientNumber).toBe(samplePatient.mrn)
    expect(text).toContain('^^^CLINIC&2.999.2&ISO^PI')
    expect(text).toContain('|P|2.3.1|')
    expect(text).toContain('\rPV1|1|N\r')
    expect(text).toContain('\rTXA|1|PA|FT|')
    expect(document?.message.getAllSegments('OBX')).toHaveLength(1)
  })

  it('files each kind of document under its type', async () => {
    const subject = samplePriorAuthorization({ id: 'pa_req_types' })
    const kinds = ['letter', 'fax_sent', 'fax_received', 'attachment'] as const
    const file = { title: 'A file', contentType: 'application/pdf', content: Buffer.from('%PDF-') }
    const messages = await messagesOf(subject.id, { HL7_DOCUMENT_TYPE: 'CN,letter=LTR,fax=FAX' }, async (ehr) => {
      await ehr.putPriorAuthorization(subject)
      for (const kind of kinds) await ehr.putFile(subject, { ...file, key: kind, kind })
    })
    expect(messages.map(({ documentType }) => documentType)).toEqual(['CN', 'LTR', 'FAX', 'FAX', 'CN'])
  })

  it.each(['DO', 'AU', 'LA'])('has settled documents as %s, and others in progress', async (status) => {
    const id = `pa_req_${status}`
    const settings = { HL7_COMPLETION_STATUS: status, HL7_SIGNER: '1234567893^Muster^Max' }
    const messages = await messagesOf(id, settings, async (ehr) => {
      await ehr.putPriorAuthorization(samplePriorAuthorization({ id, status: 'processing' }))
      await ehr.putPriorAuthorization(samplePriorAuthorization({ id, status: 'cancelled' }))
    })
    expect(messages.map(({ completion }) => completion)).toEqual(['IP', status])
    const signed = status === 'DO' ? '' : '1234567893^Muster^Max'
    expect(messages.map(({ signer }) => signer)).toEqual(['', signed])
  })

  it.each([
    ['original', { acceptMode: '', applicationMode: '' }],
    ['enhanced', { acceptMode: 'AL', applicationMode: 'NE' }],
  ])('is asked for acknowledgements of the mode %s', async (mode, asked) => {
    const subject = samplePriorAuthorization({ id: `pa_req_${mode}` })
    const messages = await messagesOf(subject.id, { HL7_ACK_MODE: mode }, (ehr) => ehr.putPriorAuthorization(subject))
    expect(messages).toMatchObject([asked])
  })

  it.each([
    ['T10', ['T02', 'T10'], 2],
    ['T02', ['T02', 'T02'], 1],
  ])('replaces documents by %s', async (replacement, events, numbers) => {
    // The listener itself takes no number twice.
    listener.answer(() => ({ code: 'AA' }))
    const id = `pa_req_by_${replacement}`
    const messages = await messagesOf(id, { HL7_REPLACEMENT: replacement }, async (ehr) => {
      for (const status of ['processing', 'awaiting_outcome'])
        await ehr.putPriorAuthorization(samplePriorAuthorization({ id, status }))
    })
    expect(messages.map(({ event }) => event)).toEqual(events)
    expect(new Set(messages.map(({ documentNumber }) => documentNumber)).size).toBe(numbers)
  })

  it.each([
    ['document', ['T02', 'T11']],
    ['none', []],
  ])('gets for a staff task that opens and ends: %s', async (what, events) => {
    const subject = samplePriorAuthorization({ id: `pa_req_task_${what}` })
    const messages = await messagesOf(subject.id, { HL7_STAFF_TASKS: what }, async (ehr) => {
      await ehr.openStaffTask(subject, { title: 'Call the payer', reason: 'no_answer' })
      await ehr.closeStaffTask(subject, 'completed')
    })
    expect(messages.map(({ event }) => event)).toEqual(events)
  })

  const fhir = () => ({
    FHIR_BASE_URL: chart.url,
    FHIR_TOKEN: 'chart-token',
    FHIR_PATIENT_SYSTEM: internalIdSystem,
    HL7_PATIENT_SYSTEM: mrnSystem,
  })

  it('beside FHIR takes documents for the patient that FHIR finds, under the number of the chart', async () => {
    const { date_of_birth: birthDate } = samplePatient
    chart.seedPatient({ internalId: 'found', mrn: 'chart-77', birthDate, name: 'Testa Sample' })
    const document = await put('pa_req_2', fhir(), { internal_id: 'found', mrn: 'of the request' })
    expect(document?.patientNumber).toBe('chart-77')
    expect(chart.writes).toEqual([])
  })

  it('beside FHIR is checked together with it', async () => {
    const system = open(fhir())
    const { signal } = new AbortController()
    expect(await system.check?.(signal, { patient: 'found' })).toMatchObject({ ok: true })
    expect(await system.check?.(signal, { patient: 'unknown' })).toMatchObject({
      ok: false,
      faults: [expect.any(String)],
    })
    await system.close?.()
  })
})
