import { randomBytes } from 'node:crypto'
import { createTextSearch } from '../../packages/conformance/src/find-texts.ts'
import { samplePatient } from './samples.ts'

/** Values that must stay inside pawl: invented, easily recognised, and found nowhere else. */
export const canaries = {
  firstName: 'Kanarina',
  lastName: 'Zwitscherling',
  birthDate: '1931-02-03',
  memberNumber: 'KANARI-MEMBER-4711',
  mrn: 'KANARI-MRN-0815',
  phone: '555-0199-KANARI',
  street: '7 Kanari Cage Lane',
  message: 'Kanari message: please call her daughter',
  directions: 'Kanari directions: two drops at night',
  drugName: 'Kanarimycin',
  outcomeDetail: 'Kanari detail: denied since she moved',
  apiToken: 'kanari.api.token.0123456789',
  webhookSecret: 'kanari-webhook-secret-of-more-than-32-characters',
  fhirToken: 'kanari-fhir-token-0123456789',
  pharmacySecret: `whsec_${Buffer.from('kanari-pharmacy-secret-of-enough-bytes').toString('base64')}`,
  adminPassword: 'kanari-admin-password',
  sealingKey: randomBytes(32).toString('base64'),
} as const

/** The sample patient with their data. */
export const canaryPatient = {
  ...samplePatient,
  first_name: canaries.firstName,
  last_name: canaries.lastName,
  date_of_birth: canaries.birthDate,
  phone: canaries.phone,
}

/** All of them in one sentence, as a careless error message or a strange answer would quote them. */
export const everyCanary = Object.values(canaries).join(' | ')

/** Names of the canaries that the text shows in any form, each once, with what stands around the first. */
export const findCanaries = createTextSearch(canaries)
