import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ehrFrom } from '../../../src/connectors/ehr/ehr-from.ts'
import { PatientNotFound } from '../../../src/connectors/ehr/patient-not-found.ts'
import { inspectConfig } from '../../../src/settings/read-config.ts'
import { readOnly } from '../../support/charts/read-only.ts'
import { type Chart, internalIdSystem, mrnSystem, startChart } from '../../support/charts/start-chart.ts'
import { type Hl7Listener, startHl7Listener } from '../../support/hl7-listener.ts'
import { createTestRun } from '../../support/run-context.ts'
import { samplePatient, samplePriorAuthorization } from '../../support/samples.ts'

const required = {
  WEBHOOK_SECRETS: 'a-secret-of-more-than-thirty-two-characters',
  API_BASE_URL: 'https://api.example',
  API_TOKEN: 'token',
  SEALING: 'off',
}
const read = (settings: Record<string, string>) => inspectConfig({ ...required, ...settings })
const faultsOf = (settings: Record<string, string>) => read(settings).faults

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
    const { settings } = read({ EHR_URL: 'mllps://ehr.example:2575', HL7_CA_FILE: '/none/ca.pem' }).config
    expect(() => ehrFrom(settings)).toThrow('HL7_CA_FILE: cannot be read (ENOENT)')
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

  async function put(id: string, settings: Record<string, string>, patient: Record<string, unknown> = {}) {
    const { config, faults } = read({ EHR_URL: `mllp://127.0.0.1:${listener.port}`, ...settings })
    expect(faults).toEqual([])
    const system = ehrFrom(config.settings)
    const subject = samplePriorAuthorization({ id, status: 'processing', patient: { ...samplePatient, ...patient } })
    try {
      await system.open(createTestRun({ resourceId: id })).putPriorAuthorization(subject)
    } finally {
      await system.close?.()
    }
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

  it('beside FHIR is sent nothing for a patient that FHIR does not find', async () => {
    const before = listener.received.length
    await expect(put('pa_req_3', fhir(), { internal_id: 'unknown' })).rejects.toBeInstanceOf(PatientNotFound)
    expect(listener.received).toHaveLength(before)
  })

  it('says that the check tries no patient without FHIR, and tries a document with --write', async () => {
    const open = () => ehrFrom(read({ EHR_URL: `mllp://127.0.0.1:${listener.port}` }).config.settings)
    const { signal } = new AbortController()
    expect(await open().check?.(signal, { patient: '0007' })).toMatchObject({
      ok: true,
      findings: [expect.any(String), expect.stringMatching(/--patient alone needs FHIR_BASE_URL/)],
    })
    const before = listener.documents().length
    expect(await open().check?.(signal, { patient: '0007', write: true })).toMatchObject({ ok: true, faults: [] })
    expect(listener.documents().slice(before)).toMatchObject([{ status: 'cancelled', patientNumber: '0007' }])
    expect(await open().check?.(signal)).toMatchObject({ findings: [expect.any(String)] })
  })

  it('beside FHIR is checked together with it', async () => {
    const { config } = read({ EHR_URL: `mllp://127.0.0.1:${listener.port}`, ...fhir() })
    const system = ehrFrom(config.settings)
    const { signal } = new AbortController()
    expect(await system.check?.(signal, { patient: 'found' })).toMatchObject({ ok: true })
    expect(await system.check?.(signal, { patient: 'unknown' })).toMatchObject({
      ok: false,
      faults: [expect.any(String)],
    })
    await system.close?.()
  })
})
