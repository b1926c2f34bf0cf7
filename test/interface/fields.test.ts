import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { BenefitVerificationRequest } from '../../packages/client/src/schemas/benefit-verification.ts'
import { ClinicalQualificationRequest } from '../../packages/client/src/schemas/clinical-qualification.ts'
import { faultsOf } from '../../packages/client/src/schemas/faults.ts'
import { PriorAuthorizationRequest } from '../../packages/client/src/schemas/prior-authorization-request.ts'
import { kinds } from './field-kinds.ts'
import { readFixture, RequestFixture } from './spec-fixtures.ts'

type Field = readonly [path: string, kind: keyof typeof kinds, need: 'required' | 'optional']

const patient: readonly Field[] = [
  ['patient', 'object', 'required'],
  ['patient.internal_id', 'text', 'required'],
  ['patient.first_name', 'text', 'required'],
  ['patient.last_name', 'text', 'required'],
  ['patient.gender', 'gender', 'required'],
  ['patient.date_of_birth', 'date', 'required'],
  ['patient.address', 'object', 'required'],
  ['patient.address.street', 'text', 'required'],
  ['patient.address.street_line_2', 'text or null', 'optional'],
  ['patient.address.city', 'text', 'required'],
  ['patient.address.state_province', 'state', 'required'],
  ['patient.address.zip_postal_code', 'text', 'required'],
  ['patient.address.country', 'text', 'optional'],
  ['patient.phone', 'text or null', 'optional'],
  ['patient.email', 'e-mail', 'optional'],
]

const provider: readonly Field[] = [
  ['provider', 'object', 'required'],
  ['provider.first_name', 'text', 'required'],
  ['provider.last_name', 'text', 'required'],
  ['provider.npi', 'text', 'required'],
  ['provider.address.street', 'text or null', 'optional'],
  ['provider.address.street_line_2', 'text or null', 'optional'],
  ['provider.address.city', 'text or null', 'optional'],
  ['provider.address.state_province', 'text or null', 'optional'],
  ['provider.address.zip_postal_code', 'text or null', 'optional'],
  ['provider.address.country', 'text or null', 'optional'],
  ['provider.phone', 'text or null', 'optional'],
  ['provider.fax', 'text', 'optional'],
  ['provider.email', 'e-mail', 'optional'],
  ['provider.internal_id', 'text', 'optional'],
  ['provider.in_network_payers', 'list', 'optional'],
]

const cards: readonly Field[] = [
  ['insurance', 'list', 'optional'],
  ['insurance.0', 'object', 'required'],
  ['insurance.0.file_content', 'file', 'required'],
]

const insurance: readonly Field[] = [
  ...cards,
  ['insurance_content', 'object', 'optional'],
  ['insurance_content.member_number', 'text', 'optional'],
  ['insurance_content.rx_bin', 'BIN', 'optional'],
  ['insurance_content.rx_pcn', 'text or empty', 'optional'],
  ['insurance_content.rx_group', 'text or empty', 'optional'],
  ['insurance_content.payer_name', 'text or empty', 'optional'],
  ['insurance_content.plan_name', 'text or empty', 'optional'],
  ['insurance_content.member_name', 'text or empty', 'optional'],
  ['insurance_content.group_number', 'text or empty', 'optional'],
  ['insurance_content.client_name', 'text or empty', 'optional'],
]

const clinical: readonly Field[] = [
  ['diagnoses', 'list', 'optional'],
  ['diagnoses.0', 'object', 'required'],
  ['diagnoses.0.code', 'text', 'required'],
  ['evidence', 'list', 'optional'],
  ['evidence.0', 'object', 'required'],
  ['evidence.0.title', 'text', 'required'],
  ['evidence.0.date_created', 'date-time', 'required'],
  ['questionnaires', 'list', 'optional'],
  ['questionnaires.0', 'object', 'required'],
  ['questionnaires.0.questions', 'list', 'required'],
  ['questionnaires.0.questions.0.question', 'text', 'required'],
  ['questionnaires.0.questions.0.answer', 'text or empty', 'required'],
  ['questionnaires.0.date_created', 'date-time', 'required'],
  ['visit_notes', 'list', 'optional'],
  ['visit_notes.0', 'object', 'required'],
  ['visit_notes.0.content', 'text', 'required'],
  ['visit_notes.0.date_created', 'date-time', 'required'],
]

const benefitVerification: readonly Field[] = [
  ...patient,
  ...provider,
  ['provider.address', 'object', 'optional'],
  ...insurance,
  ['drugs', 'list', 'required'],
  ['drugs.0.name', 'text', 'required'],
  ['drugs.0.dosage', 'text or empty', 'optional'],
  ['drugs.0.quantity', 'number', 'optional'],
  ['drugs.1.ndc', 'NDC', 'required'],
  ['drugs.1.quantity', 'number', 'optional'],
  ['drug_history', 'object', 'optional'],
  ['drug_history.currently_taking_drugs', 'list', 'optional'],
  ['drug_history.currently_taking_drugs.0', 'object', 'required'],
  ['drug_history.currently_taking_drugs.0.name', 'text', 'required'],
  ['drug_history.previously_taken_drugs', 'list', 'optional'],
  ['drug_history.previously_taken_drugs.0', 'object', 'required'],
  ['drug_history.previously_taken_drugs.0.name', 'text', 'required'],
  ['diagnoses', 'list', 'optional'],
  ['diagnoses.0', 'object', 'required'],
  ['diagnoses.0.code', 'text', 'required'],
  ['entity', 'object', 'optional'],
  ['entity.legal_name', 'text or empty', 'optional'],
  ['entity.tax_id', 'text or empty', 'optional'],
  ['priority', 'priority', 'optional'],
  ['use_patient_plan_fund_source_check', 'boolean', 'optional'],
  ['preferred_processing_mode', 'text', 'optional'],
]

const clinicalQualification: readonly Field[] = [
  ...patient,
  ...provider,
  ['provider.address', 'object', 'optional'],
  ...cards,
  ...clinical,
  ['evidence.0.content', 'object', 'required'],
  ['drugs', 'list', 'required'],
  ['drugs.0.drug_name', 'text', 'required'],
  ['drugs.0.strength', 'text or empty', 'optional'],
  ['drugs.0.dose_form', 'text or empty', 'optional'],
  ['drugs.0.route_of_administration', 'text or empty', 'optional'],
  ['drugs.0.directions', 'text or empty', 'optional'],
  ['drugs.0.quantity', 'whole number', 'optional'],
  ['drugs.0.days_supply', 'whole number', 'optional'],
]

const priorAuthorization: readonly Field[] = [
  ...patient,
  ...provider,
  ['provider.address', 'object', 'required'],
  ...insurance,
  ...clinical,
  ['evidence.0.document_date', 'date or date-time', 'optional'],
  ['evidence.2.asset.file_content', 'file', 'required'],
  ['prescription', 'object', 'required'],
  ['prescription.drug_name', 'text', 'required'],
  ['prescription.strength', 'text', 'required'],
  ['prescription.dose_form', 'text', 'required'],
  ['prescription.route_of_administration', 'text', 'required'],
  ['prescription.directions', 'text', 'required'],
  ['prescription.quantity', 'whole number', 'required'],
  ['prescription.days_supply', 'whole number', 'required'],
  ['prescription.prescription_date', 'date-time', 'required'],
  ['pharmacy', 'object', 'optional'],
  ['priority', 'priority', 'optional'],
  ['is_training_data', 'boolean', 'optional'],
  ['mock_result', 'object', 'optional'],
  ['resubmission_info', 'object', 'optional'],
  ['resubmission_info.previous_prior_auth_request_id', 'text', 'required'],
  ['resubmission_info.note', 'text', 'optional'],
  ['resubmission_info.quantity_limit_exception_reason', 'text', 'optional'],
  ['quantity_limit_exception_reason', 'text', 'optional'],
  ['appeal_details', 'object', 'optional'],
  ['appeal_details.appeal_letter', 'object', 'required'],
  ['appeal_details.appeal_letter.title', 'text', 'required'],
  ['appeal_details.appeal_letter.date_created', 'date-time', 'required'],
  ['appeal_details.appeal_letter.asset', 'object', 'required'],
  ['appeal_details.is_urgent', 'boolean', 'optional'],
  ['provider_outreach', 'object', 'optional'],
  ['provider_outreach.enabled', 'boolean', 'required'],
  ['trigger_benefit_verification', 'object', 'optional'],
  ['trigger_benefit_verification.enabled', 'boolean', 'required'],
  ['trigger_benefit_verification.additional_medications', 'list', 'optional'],
  ['trigger_benefit_verification.additional_medications.0.ndc', 'NDC', 'required'],
  ['trigger_benefit_verification.additional_medications.0.quantity', 'whole number', 'required'],
]

const codedPrescription: readonly Field[] = [
  ['prescription.ndc', 'NDC', 'required'],
  ['prescription.directions', 'text', 'required'],
  ['prescription.quantity', 'whole number', 'required'],
  ['prescription.days_supply', 'whole number', 'required'],
  ['prescription.prescription_date', 'date-time', 'required'],
  ['prescription.quantity_unit_of_measure', 'unit', 'optional'],
]

const body = (path: string) => readFixture(`requests/${path}.json`, RequestFixture).body
const wholePriorAuthorization = {
  ...body('prior-authorization/full'),
  ...body('prior-authorization/appeal'),
  ...body('prior-authorization/outreach'),
  ...body('prior-authorization/triggered-verification'),
  ...body('prior-authorization/resubmission'),
  ...only(body('prior-authorization/full'), ['patient', 'provider', 'insurance_content', 'evidence']),
}

function only(fields: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))
}

/** The request with the value at `path` in place, and all that leads there; undefined leaves it out. */
function put(request: unknown, [key = '', ...rest]: string[], value: unknown): unknown {
  const copy = Array.isArray(request) ? [...request] : { ...Object(request) }
  // The compiler cannot see that an index of a list is a key like any other.
  const holder = copy as Record<string, unknown>
  holder[key] = rest.length === 0 ? value : put(holder[key], rest, value)
  return JSON.parse(JSON.stringify(copy))
}

const requests: [name: string, schema: z.ZodType, request: object, fields: readonly Field[]][] = [
  ['a benefit verification', BenefitVerificationRequest, body('benefit-verification/full'), benefitVerification],
  [
    'a clinical qualification',
    ClinicalQualificationRequest,
    body('clinical-qualification/full'),
    clinicalQualification,
  ],
  ['a prior authorization', PriorAuthorizationRequest, wholePriorAuthorization, priorAuthorization],
  ['a coded prescription', PriorAuthorizationRequest, body('prior-authorization/coded'), codedPrescription],
]

describe.each(requests)('the fields of %s, as the specification has them:', (_name, schema, request, fields) => {
  const faults = (input: unknown) => {
    const { error } = schema.safeParse(input)
    return error === undefined ? [] : faultsOf(error, input).map(({ loc }) => loc.slice(1).join('.'))
  }
  it.each(fields)('%s is of kind %s, %s', (path, kind, need) => {
    const keys = path.split('.')
    const { takes, refuses } = kinds[kind]
    for (const value of takes)
      expect({ value, faults: faults(put(request, keys, value)) }).toEqual({ value, faults: [] })
    for (const value of refuses)
      expect({ value, faults: faults(put(request, keys, value)) }).toEqual({ value, faults: [path] })
    // Of several allowed forms another one may be the nearest without the field: then one of its own is missing.
    const missing = need === 'required' ? [expect.stringContaining(keys.slice(0, -1).join('.'))] : []
    expect(faults(put(request, keys, undefined))).toEqual(missing)
  })
})
