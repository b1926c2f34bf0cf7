import fc from 'fast-check'
import { benefitVerificationCases } from '../../packages/client/src/schemas/benefit-verification.ts'
import { quantityUnits } from '../../packages/client/src/schemas/quantity-units.ts'
import { detailCodes, transferErrorCodes } from '../../packages/client/src/schemas/outcome.ts'
import {
  card,
  content,
  date,
  dateTime,
  diagnoses,
  digits,
  email,
  evidenceFile,
  few,
  insured,
  mayBeEmpty,
  merged,
  ncpdpId,
  ndc,
  object,
  partialAddress,
  patient,
  priority,
  provider,
  providerOptions,
  providerParts,
  quantity,
  questionnaires,
  state,
  text,
  visit_notes,
  whole,
} from './arbitrary-parts.ts'

/** Body of POST /benefit-verification. */
export const benefitVerification = merged(
  insured,
  object(
    {
      patient,
      provider,
      drugs: fc.array(
        fc.oneof(object({ name: text }, { dosage: mayBeEmpty, quantity }), object({ ndc }, { quantity })),
        { minLength: 1, maxLength: 4 },
      ),
    },
    {
      priority,
      drug_history: object(
        {},
        {
          currently_taking_drugs: few(fc.record({ name: text })),
          previously_taken_drugs: few(fc.record({ name: text })),
        },
      ),
      diagnoses,
      entity: object({}, { legal_name: mayBeEmpty, tax_id: mayBeEmpty }),
      use_patient_plan_fund_source_check: fc.boolean(),
      preferred_processing_mode: fc.oneof(fc.constantFrom('realtime', 'realtime_only'), text),
      mock_result: object(
        { status: fc.constantFrom('completed', 'failed') },
        { case: fc.constantFrom(...benefitVerificationCases) },
      ),
    },
  ),
)

const drug = object(
  { drug_name: text },
  {
    strength: mayBeEmpty,
    dose_form: mayBeEmpty,
    route_of_administration: mayBeEmpty,
    directions: mayBeEmpty,
    quantity: whole,
    days_supply: whole,
  },
)

/** Body of POST /clinical-qualification. */
export const clinicalQualification = object(
  { patient, provider, drugs: fc.array(drug, { minLength: 1, maxLength: 3 }) },
  {
    diagnoses,
    evidence: few(fc.record({ title: text, date_created: dateTime, content })),
    insurance: few(card),
    questionnaires,
    visit_notes,
  },
)

const dispensing = { directions: text, quantity: whole, days_supply: whole, prescription_date: dateTime }
const prescription = fc.oneof(
  fc.record({ drug_name: text, strength: text, dose_form: text, route_of_administration: text, ...dispensing }),
  object({ ndc, ...dispensing }, { quantity_unit_of_measure: fc.constantFrom(...[...quantityUnits].flat()) }),
)
const asset = fc.record({ file_content: evidenceFile })
const evidenceParts = { title: text, date_created: dateTime }
const evidenceOptions = { document_date: fc.oneof(date, dateTime) }
const evidence = fc.oneof(
  object({ ...evidenceParts, content: fc.oneof(text, content) }, evidenceOptions),
  object({ ...evidenceParts, asset }, evidenceOptions),
)
const mockResult = fc.oneof(
  object(
    { result: fc.constant('Approved') },
    {
      detail_code: fc.constantFrom(...detailCodes.Approved),
      prescription_transfer_error_code: fc.constantFrom(...transferErrorCodes),
    },
  ),
  object(
    { result: fc.constant('Denied') },
    { detail_code: fc.constantFrom(...detailCodes.Denied), client_code: mayBeEmpty },
  ),
  object({ result: fc.constant('Not Submitted') }, { detail_code: fc.constantFrom(...detailCodes['Not Submitted']) }),
  object(
    { result: fc.constant('Other') },
    { detail_code: fc.constantFrom(...detailCodes.Other), trigger_message: fc.boolean() },
  ),
)
const ndpParts = { prescription_message_id: text, ignore_eligibility_check_error: fc.boolean() }
const ndpOptions = { submit_pa_with_eligibility_check_government_plan: fc.boolean() }
const ndpSubmission = fc.oneof(
  object({ ...ndpParts, preferred_pharmacy_ncpdp_id: ncpdpId }, { ...ndpOptions, preferred_pharmacy_details: text }),
  object({ ...ndpParts, preferred_pharmacy_details: text }, ndpOptions),
)
const appealDetails = object({ appeal_letter: fc.record({ ...evidenceParts, asset }) }, { is_urgent: fc.boolean() })

/** Body of POST /prior-authorization; `previous` is a PA that was approved. Outreach needs a fax, a number that exists, and no mock result. */
export const priorAuthorization = (previous: string) =>
  merged(
    insured,
    object(
      { patient, provider: object({ ...providerParts, address: partialAddress }, providerOptions), prescription },
      {
        diagnoses,
        evidence: few(evidence),
        visit_notes,
        questionnaires,
        pharmacy: object({ name: text }, { address: partialAddress }),
        priority,
        is_training_data: fc.boolean(),
        mock_result: mockResult,
        ndp_submission: ndpSubmission,
        resubmission_info: object(
          { previous_prior_auth_request_id: fc.constant(previous), note: text },
          { quantity_limit_exception_reason: text },
        ),
        appeal_details: appealDetails,
        provider_outreach: fc.record({ enabled: fc.boolean() }),
        trigger_benefit_verification: object(
          { enabled: fc.boolean() },
          { additional_medications: few(fc.record({ ndc, quantity: whole })) },
        ),
      },
    ),
  ).map((request) => {
    if (request.provider_outreach?.enabled !== true) return request
    const { mock_result: _, ...rest } = request
    return { ...rest, provider: { ...request.provider, fax: '555-0102', npi: '1234567893' } }
  })

/** Body of POST /provider/authorize. */
export const providerAuthorization = object(providerParts, {
  email,
  fax_number: mayBeEmpty,
  phone_number: mayBeEmpty,
  address: partialAddress,
})

/** Body of POST /provider/lookup. */
export const providerLookup = fc.oneof(
  fc.record({ npi: fc.oneof(text, digits(10)) }),
  fc.record({ first_name: text, last_name: text, state }),
)

const assets = few(fc.record({ type: text, url: fc.webUrl(), name: text }))

/** Body of POST /patient-enrollment. */
export const patientEnrollment = object(
  {
    patient: object(
      { first_name: text, last_name: text },
      {
        date_of_birth: date,
        address: object(
          {},
          {
            street: mayBeEmpty,
            city: mayBeEmpty,
            state_province: mayBeEmpty,
            zip_postal_code: mayBeEmpty,
            country: mayBeEmpty,
          },
        ),
        insurance_details: object(
          {},
          {
            data: object(
              {},
              {
                group_number: mayBeEmpty,
                payer: mayBeEmpty,
                membership_number: mayBeEmpty,
                rx_bin: mayBeEmpty,
                rx_group: mayBeEmpty,
              },
            ),
            assets,
          },
        ),
        email,
        phone: mayBeEmpty,
        metadata: object({}, { patient_id: text }),
      },
    ),
  },
  {
    programId: text,
    prescription: object({}, { drug_name: text, dosage: mayBeEmpty, directions: mayBeEmpty, extra: content }),
    evidence: few(object({ type: text }, { date_created: dateTime, content, assets })),
    metadata: object({}, { enrollment_id: text }),
  },
)

/** Body of POST /pa-status. */
export const paStatus = merged(
  insured,
  object({ patient }, { provider, drugs: few(fc.oneof(fc.record({ name: text }), fc.record({ ndc }))) }),
)

/** Body of PATCH /prior-authorization/{id}/ndp-submission. */
export const pharmacyUpdate = fc.record({ preferred_pharmacy_ncpdp_id: ncpdpId })
