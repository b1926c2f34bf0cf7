import { readFileSync } from 'node:fs'
import { ConfigInvalid, systemCodeOf } from '@pawl/base/errors'
import { assertInstalled } from '@pawl/base/optional-packages'
import type { System } from '@pawl/connector/system'
import type { Ehr } from '../ehr.ts'
import { chosenFiling } from '../filing.ts'
import type { ChartPatients } from '../fhir/chart-patients.ts'
import { PatientNotFound } from '../patient-not-found.ts'
import { createHl7Ehr, type PatientNumbers } from './hl7-ehr.ts'
import { numberInRequest } from './patient-number.ts'
import type { Hl7Settings, NumberField } from './settings.ts'

/** The listener at `mllps://host:port` or `mllp://host:port`. `chart`: finds the patients; absent: their numbers are the requests'. Reads the certificate files. Throws `ConfigInvalid` and `PackageMissing`. */
export function hl7Ehr(
  url: string,
  settings: Hl7Settings & Parameters<typeof chosenFiling>[0] & { NODE_ENV: string },
  chart?: ChartPatients,
): System<Ehr> {
  assertInstalled('EHR_URL', ['node-hl7-client'])
  const { protocol, hostname, port } = new URL(url)
  const faults: string[] = []
  const read = (name: 'HL7_CA_FILE' | 'HL7_CERT_FILE' | 'HL7_KEY_FILE') => {
    const file = settings[name]
    try {
      return file === undefined ? undefined : readFileSync(file, 'utf8')
    } catch (error) {
      faults.push(`${name}: cannot be read (${systemCodeOf(error) ?? 'unexpected'})`)
      return undefined
    }
  }
  const tls = { ca: read('HL7_CA_FILE'), cert: read('HL7_CERT_FILE'), key: read('HL7_KEY_FILE') }
  if (port === '') faults.push('EHR_URL: needs the port of the listener, as in mllps://ehr.example:2575')
  if (faults.length > 0)
    throw new ConfigInvalid(`Fix these settings (see .env.example):\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
  const { HL7_PATIENT_CLASS: patientClass = 'O', HL7_PATIENT_FIELD: field = 'internal_id' } = settings
  return createHl7Ehr({
    // The brackets of an IPv6 address belong to the URL, not to the host.
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: Number(port),
    tls: protocol === 'mllps:' ? tls : undefined,
    mdm: {
      version: settings.HL7_VERSION ?? '2.5.1',
      charset: settings.HL7_CHARSET ?? 'UNICODE UTF-8',
      sendingApplication: settings.HL7_SENDING_APPLICATION ?? 'PAWL',
      sendingFacility: settings.HL7_SENDING_FACILITY,
      receivingApplication: settings.HL7_RECEIVING_APPLICATION,
      receivingFacility: settings.HL7_RECEIVING_FACILITY,
      processingId: settings.NODE_ENV === 'production' ? 'P' : 'T',
      isEnhanced: settings.HL7_ACK_MODE === 'enhanced',
      assigningAuthority: settings.HL7_ASSIGNING_AUTHORITY,
      patientNumberType: settings.HL7_PATIENT_NUMBER_TYPE ?? 'MR',
      patientClass: patientClass === 'none' ? undefined : patientClass,
      author: settings.HL7_AUTHOR,
      settledStatus: settings.HL7_COMPLETION_STATUS ?? 'DO',
      signer: settings.HL7_COMPLETION_STATUS === 'DO' ? undefined : settings.HL7_SIGNER,
    },
    patients:
      chart === undefined ? numbersOfRequests(field) : numbersOfChart(chart, field, settings.HL7_PATIENT_SYSTEM),
    content: settings.HL7_CONTENT ?? 'TX',
    documentTypes: settings.HL7_DOCUMENT_TYPE ?? ['CN'],
    replacesByT10: settings.HL7_REPLACEMENT !== 'T02',
    hasStaffTasks: settings.HL7_STAFF_TASKS !== 'none',
    filing: chosenFiling(settings),
    timeoutMs: settings.HL7_ACK_TIMEOUT_MS ?? 15_000,
  })
}

function numbersOfRequests(field: NumberField): PatientNumbers {
  return {
    keyOf: (patient) => numberInRequest(patient, field),
    numberOf: async (patient) => numberInRequest(patient, field),
  }
}

/** The chart's own number of the patient in this system, or else the request's number of a patient whom the chart knows. */
function numbersOfChart(chart: ChartPatients, field: NumberField, system: string | undefined): PatientNumbers {
  return {
    keyOf: (patient) => numberInRequest(patient, chart.field),
    check: chart.check,
    async numberOf(patient, run) {
      const { identifier = [] } = await chart.find(patient, run)
      if (system === undefined) return numberInRequest(patient, field)
      const number = identifier.find((each) => each.system === system)?.value?.trim()
      if (number !== undefined && number !== '') return number
      throw new PatientNotFound(
        'The patient of the chart has no identifier of HL7_PATIENT_SYSTEM: add it there, or correct the setting.',
      )
    },
  }
}
