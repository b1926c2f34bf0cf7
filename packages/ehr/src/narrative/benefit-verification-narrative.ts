import type { BenefitVerification, BenefitVerificationDrug } from 'pawl-client/schemas/benefit-verification'
import { answered } from '../fhir/mapping/coverage.ts'
import { drugLabel, drugNames, verifiedDrug } from '../fhir/mapping/drug.ts'
import { codeInWords, inWords, type Narrative, rowsOf, type Section, withoutEmpty, yesOrNo } from './narrative.ts'
import { join, text } from '../primitives.ts'
import {
  costsOf,
  diagnosisCodes,
  insuranceRows,
  patientLine,
  prescriberRows,
  titleOf,
  writtenBy,
} from './shared-sections.ts'

/** A BV on one page, drug by drug. */
export function benefitVerificationNarrative(bv: BenefitVerification): Narrative {
  const drugs = bv.drugs ?? []
  return {
    title: titleOf(`Benefit verification: ${inWords(bv.status)}`, drugNames(drugs), bv.id),
    lead: lead(bv, drugs),
    patient: patientLine(bv.patient),
    sections: withoutEmpty([
      stateSection(bv),
      ...drugs.map(drugSection),
      {
        heading: 'Insurance',
        rows: [
          ...insuranceRows(bv.insurance),
          ...rowsOf({
            'Pharmacy benefit manager': bv.pharmacy_benefit_manager_name,
            'Type of plan': inWordsIfAnswered(bv.patient_coverage_type),
            'Funding of the plan': inWordsIfAnswered(bv.patient_plan_fund_source),
          }),
        ],
      },
      {
        heading: 'Prescriber and diagnoses',
        rows: [...prescriberRows(bv.provider), ...rowsOf({ 'Diagnoses (ICD-10-CM)': diagnosisCodes(bv.diagnoses) })],
      },
      referenceSection(bv),
    ]),
  }
}

function lead(bv: BenefitVerification, drugs: readonly BenefitVerificationDrug[]): string {
  if (bv.status === 'failed')
    return `Verification failed: ${text(bv.error?.code) ?? text(bv.error?.title) ?? 'reason not stated'}.`
  const found = drugs.flatMap((drug) => {
    const said = join([coverageOf(drug), authorizationOf(drug)], ', ')
    return said === undefined ? [] : `${drugLabel(verifiedDrug(drug)) ?? 'Drug not named'}: ${said}.`
  })
  return join([coverageStatement(bv), ...found], ' ') ?? `${inWords(bv.status)}.`
}

const coverageStatements: ReadonlyMap<string, string> = new Map([
  ['covered', 'The patient is covered.'],
  ['patient_not_found', 'The payer did not find the patient.'],
  ['coverage_expired', "The patient's coverage has expired."],
  ['coverage_not_started', "The patient's coverage has not started yet."],
  ['patient_not_covered_unspecified', 'The patient is not covered.'],
  ['human_unable_to_answer', 'The payer could not say whether the patient is covered.'],
  ['missing_from_transcript', 'The payer did not say whether the patient is covered.'],
  ['unknown', 'It is unknown whether the patient is covered.'],
])

function coverageStatement({ patient_coverage_status: status }: BenefitVerification): string | undefined {
  const said = text(status)
  return said && (coverageStatements.get(said) ?? `Coverage of the patient: ${inWords(said)}.`)
}

function stateSection(bv: BenefitVerification): Section {
  return {
    heading: 'Status',
    rows: rowsOf({
      Patient: patientLine(bv.patient),
      Status: codeInWords(bv.status),
      'In words': bv.status_description,
      'Coverage of the patient': codeInWords(bv.patient_coverage_status),
      Reviewed: codeInWords(bv.review_status),
      Error: join([text(bv.error?.code) ?? bv.error?.title, codeInWords(bv.error?.detail_code)], ': '),
      'Error message': join([bv.error?.message, bv.error?.detail_message], ' '),
    }),
  }
}

function drugSection(drug: BenefitVerificationDrug): Section {
  const details = drug.determination_details
  return {
    heading: join([drug.name, drug.dosage], ' ') ?? drugLabel(verifiedDrug(drug)) ?? 'Drug not named',
    rows: rowsOf({
      NDC: drug.ndc,
      Quantity: drug.quantity?.toString(),
      Coverage: coverageOf(drug),
      'Basis of the coverage': codeInWords(drug.coverage_detail_code),
      Authorization: authorizationOf(drug),
      'Active prior authorization': yesOrNo(drug.has_active_prior_auth),
      Copay: drug.copay,
      'Copay by supply': costsOf(drug.copay_options),
      'On formulary': yesOrNo(details?.is_on_formulary),
      'Excluded by the plan': yesOrNo(details?.is_explicit_plan_exclusion),
      'Authorization acts as exception request': yesOrNo(details?.is_prior_auth_acting_as_exception_request),
    }),
  }
}

function coverageOf({ coverage }: BenefitVerificationDrug): string | undefined {
  return coverage && inWords(coverage).toLowerCase()
}

function authorizationOf(drug: BenefitVerificationDrug): string | undefined {
  const active = drug.has_active_prior_auth === true ? ' (an active one exists)' : ''
  switch (drug.prior_authorization_required) {
    case undefined:
      return active === '' ? undefined : 'an active prior authorization exists'
    case 'yes':
      return `prior authorization required${active}`
    case 'no':
      return `no prior authorization required${active}`
    case 'not_applicable':
      return `prior authorization not applicable${active}`
    default:
      return `prior authorization: ${inWords(drug.prior_authorization_required)}${active}`
  }
}

function inWordsIfAnswered(value: string | undefined): string | undefined {
  const said = answered(value)
  return said && inWords(said)
}

function referenceSection(bv: BenefitVerification): Section {
  return {
    heading: 'References',
    rows: rowsOf({
      Verification: bv.id,
      'Started by prior authorization': bv.triggered_by_pa_id,
      Replaces: bv.replaces,
      'Replaced by': bv.replaced_by,
      'Written by': writtenBy,
    }),
  }
}
