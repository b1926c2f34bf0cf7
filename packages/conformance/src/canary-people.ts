import type { BenefitVerificationRequest } from 'pawl-client/schemas/benefit-verification'
import type { PriorAuthorizationRequest } from 'pawl-client/schemas/prior-authorization-request'
import { diagnoses, dispensing, ndpSubmission, patient, provider } from '@pawl/sandbox/sample-requests'
import type { CreatedAs } from './steps.ts'

// All people and data here are invented, easy to recognise, and unique in the repository.

type Patient = PriorAuthorizationRequest['patient']

interface Person {
  patient: Patient
  memberNumber: string
  drug: string
  directions: string
}

/** `bird` marks everything about one person. */
function personOf(bird: string, place: string, born: string): Person {
  const root = bird.toUpperCase()
  return {
    patient: {
      ...patient,
      internal_id: `${root}-0815`,
      first_name: `${bird}ina`,
      last_name: `${place}sprobe`,
      date_of_birth: born,
      mrn: `${root}-RECORD-0042`,
      phone: `+1555${born.replaceAll('-', '').slice(1)}`,
      email: `${bird.toLowerCase()}@home.example`,
      address: { ...patient.address, street: `7 ${bird} Cage Lane` },
    },
    memberNumber: `${root}-MEMBER-4711`,
    drug: `${bird}mycin`,
    directions: `${bird} directions: two drops at night`,
  }
}

/** The patients of the chart. */
export const people = [
  personOf('Zaunkoenig', 'Koenig', '1931-02-03'),
  personOf('Rotkehlchen', 'Kehlchen', '1942-11-17'),
  personOf('Blaumeise', 'Meisen', '1953-08-29'),
] as const

const [first] = people

/** The first patient. */
export const person: Patient = first.patient

/** The person at this index, 0 by default. */
function personAt(index: number): Person {
  return people[index % people.length] ?? first
}

/** Text of a message, different for each count. */
export function messageText(count: number): string {
  return `Kuckuck message ${count}: please call her daughter\n"today", at <home> & café`
}

/** Notes of a call to the payer, different for each count. */
export function callNotes(count: number): string {
  return `Kuckuck call ${count}: the payer asked for her chart\n"today", with <history> & naïve notes`
}

/** Values that identify one person, by names that a report may show. */
export function valuesOf(index: number): Record<string, string> {
  const { patient: who, memberNumber, drug, directions } = personAt(index)
  return {
    'first name': who.first_name,
    'last name': who.last_name,
    'birth date': who.date_of_birth,
    'patient number': who.internal_id,
    street: who.address.street,
    'record number': who.mrn ?? '',
    phone: who.phone ?? '',
    'e-mail address': who.email ?? '',
    'member number': memberNumber,
    drug,
    directions,
  }
}

/** Values that must stay inside pawl, by names that a report may show. */
export const privateValues: Record<string, string> = {
  ...Object.fromEntries(
    people.flatMap((_, index) =>
      Object.entries(valuesOf(index)).map(([name, value]) => [index === 0 ? name : `${name} (${index})`, value]),
    ),
  ),
  message: 'Kuckuck message',
  'notes of a call': 'Kuckuck call',
}

/** A request for a PA. `count` makes its prescription unique; `appealed` is the id of the PA under appeal. */
export function priorAuthorizationRequest(
  { result, transfer, patient: index = 0, outreach = false, verifies = false }: CreatedAs,
  count: number,
  appealed?: string,
): PriorAuthorizationRequest {
  const { patient: who, memberNumber, drug, directions } = personAt(index)
  return {
    patient: who,
    // Without an e-mail address, outreach goes by phone.
    provider: { ...provider, ...(outreach ? { fax: '+15555550100' } : { email: 'prescriber@practice.example' }) },
    insurance_content: {
      member_number: memberNumber,
      rx_bin: '010011',
      rx_pcn: 'SAMPLE',
      payer_name: 'Example Health',
    },
    prescription: {
      drug_name: drug,
      strength: '10 mg',
      dose_form: 'Injection, solution',
      route_of_administration: 'subcutaneous',
      ...dispensing,
      directions,
    },
    diagnoses,
    ...(verifies && {
      trigger_benefit_verification: {
        enabled: true,
        additional_medications: [{ ndc: '12345-6789-01', quantity: 2 }],
      },
    }),
    ...(outreach ? { provider_outreach: { enabled: true } } : { mock_result: { result } }),
    ...(transfer && { ndp_submission: { ...ndpSubmission, prescription_message_id: `rx-${count}` } }),
    ...(appealed !== undefined && {
      resubmission_info: { previous_prior_auth_request_id: appealed },
      appeal_details: { appeal_letter },
    }),
  }
}

const appeal_letter = {
  asset: { file_content: Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64') },
  title: 'Letter of medical necessity',
  date_created: '2026-03-06T09:00:00Z',
}

/** A request for a BV of this many drugs. */
export function benefitVerificationRequest(options: {
  fails: boolean
  drugs?: number | undefined
  patient?: number | undefined
}): BenefitVerificationRequest {
  const { patient: who, memberNumber, drug } = personAt(options.patient ?? 0)
  // The third drug is the first one in another dose.
  const others = Array.from({ length: (options.drugs ?? 2) - 1 }, (_, at) =>
    at === 1
      ? { name: drug, dosage: '20 mg', quantity: 8 }
      : { ndc: `12345-6789-${String(at + 1).padStart(2, '0')}`, quantity: at + 1 },
  )
  return {
    patient: who,
    provider,
    insurance_content: { member_number: memberNumber, rx_bin: '010011' },
    drugs: [{ name: drug, dosage: '10 mg', quantity: 4 }, ...others],
    ...(!options.fails && {
      mock_result: { status: 'completed', case: 'drugs_covered__prior_auth_required__has_copay' },
    }),
  }
}
