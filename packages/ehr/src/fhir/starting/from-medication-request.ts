import type { Condition, Coverage, Medication, MedicationRequest, Patient, Practitioner } from 'fhir/r4.js'
import type { z } from 'zod'
import { dayOf } from '@pawl/base/days'
import { BenefitVerificationRequest } from 'pawl-client/schemas/benefit-verification'
import { faultsOf } from 'pawl-client/schemas/faults'
import { PriorAuthorizationRequest } from 'pawl-client/schemas/prior-authorization-request'
import type { RequestDraft, RequestGap, StartedKind } from 'pawl-client/schemas/request-draft'
import { text } from '../../primitives.ts'
import { createFindings, type Findings } from './create-findings.ts'
import { refersTo } from './pick.ts'
import { requestDiagnoses } from './request-diagnoses.ts'
import { drugOf, requestPrescription, requestVerifiedDrug } from './request-drug.ts'
import { requestInsurance } from './request-insurance.ts'
import { type NumberRule, requestPatient } from './request-patient.ts'
import { requestProvider } from './request-provider.ts'

/** A prescription of a chart with the records around it, as FHIR R4 (US Core). */
export interface ChartOrder {
  medicationRequest: MedicationRequest
  patient: Patient
  /** All coverages of the patient that may count. */
  coverage?: Coverage | readonly Coverage[] | undefined
  practitioner?: Practitioner | undefined
  /** The conditions that the prescription names as its reasons; others are not read. */
  conditions?: readonly Condition[] | undefined
  /** The Medication that the prescription refers to, unless it contains it. */
  medication?: Medication | undefined
}

export interface DraftOptions {
  /** Values for gaps, by the field of the gap. They never replace a value of the chart. */
  given?: Readonly<Record<string, string>> | undefined
  /** The field of requests by which the chart finds its patients, and the system of its identifiers. Default: `internal_id`. */
  patientNumber?: NumberRule | undefined
  /** The day for which names, addresses and coverages must be current, in the time zone of the process (setting TZ). Default: today. */
  at?: Date | undefined
}

interface Requests {
  prior_authorization: PriorAuthorizationRequest
  benefit_verification: BenefitVerificationRequest
}

/**
 * A complete, valid request for a PA or BV from a chart's prescription, or a list of the missing fields with their sources. It never guesses: among
 * several values for one field, a rule of docs/starting.md chooses, or the field is missing. Throws `TypeError` for
 * records of different patients.
 */
export function fromMedicationRequest<Kind extends StartedKind = 'prior_authorization'>(
  order: ChartOrder & { kind?: Kind },
  options: DraftOptions = {},
): RequestDraft<Requests[Kind]> {
  assertOnePatient(order)
  const { kind = 'prior_authorization', medicationRequest, patient, practitioner, conditions = [], medication } = order
  const { given = {}, patientNumber = { field: 'internal_id' }, at = new Date() } = options
  const day = dayOf(at)
  const coverages = order.coverage === undefined ? [] : [order.coverage].flat()
  const findings = createFindings(given)
  checkOrder(findings, medicationRequest)
  checkPatient(findings, patient)
  const drug = drugOf(medicationRequest, medication)
  const request = withoutEmpty({
    patient: requestPatient(findings, patient, day, patientNumber),
    provider: requestProvider(findings, medicationRequest, practitioner, day),
    insurance_content: requestInsurance(findings, coverages, day),
    ...(kind === 'benefit_verification'
      ? { drugs: [requestVerifiedDrug(findings, medicationRequest, drug)] }
      : { prescription: requestPrescription(findings, medicationRequest, drug), ...pharmacyOf(medicationRequest) }),
    diagnoses: requestDiagnoses(findings, medicationRequest, conditions),
    priority: priorities[medicationRequest.priority ?? 'routine'],
  })
  for (const field of findings.unused())
    findings.refuse([field, 'the given value'], 'the chart states it, or no request has it')
  const schema = kind === 'benefit_verification' ? BenefitVerificationRequest : PriorAuthorizationRequest
  const { leftOut } = findings
  const missing =
    findings.missing.length > 0 ? findings.missing : refusedFields(schema.safeParse(request), request, given)
  if (missing.length > 0) return { isComplete: false, request, missing, leftOut }
  // The compiler cannot see that the schema of this kind has just accepted it.
  return { isComplete: true, request: request as Requests[Kind], missing: [], leftOut }
}

/** FHIR's priorities that differ from the service's default (docs/ehr.md: 0 is `stat`, 1 is `urgent`). */
const priorities: Readonly<Record<string, number>> = { stat: 0, asap: 1, urgent: 1 }

/** Only an active order is a reason to ask a payer. */
function checkOrder(
  { refuse }: Findings,
  { status, intent, doNotPerform, reportedBoolean, reportedReference }: MedicationRequest,
) {
  if (status !== 'active') refuse(['prescription', 'MedicationRequest.status'], 'not active')
  if (!/^([a-z]+-)?order$/.test(intent)) refuse(['prescription', 'MedicationRequest.intent'], 'not an order')
  if (doNotPerform === true) refuse(['prescription', 'MedicationRequest.doNotPerform'], 'a ban, not an order')
  if (reportedBoolean === true || reportedReference !== undefined)
    refuse(['prescription', 'MedicationRequest.reported'], 'reported, not prescribed here')
}

/** A merged or retired record no longer holds the patient's current data (FHIR R4, Patient.link). */
function checkPatient({ refuse }: Findings, { active, link = [], deceasedBoolean, deceasedDateTime }: Patient): void {
  if (deceasedBoolean === true || deceasedDateTime !== undefined)
    refuse(['patient', 'Patient.deceased'], 'the patient has died')
  if (link.some(({ type }) => type === 'replaced-by'))
    refuse(['patient', 'Patient.link'], 'another record replaced it: prescribe there')
  else if (active === false) refuse(['patient', 'Patient.active'], 'the record is not in use')
}

/** The pharmacy that the prescription names. */
function pharmacyOf({ dispenseRequest }: MedicationRequest) {
  const name = text(dispenseRequest?.performer?.display)
  return name === undefined ? {} : { pharmacy: { name } }
}

function assertOnePatient({ medicationRequest, patient, coverage, conditions = [] }: ChartOrder): void {
  const coverages = coverage === undefined ? [] : [coverage].flat()
  const subjects = [
    medicationRequest.subject,
    ...coverages.map((each) => each.beneficiary),
    ...conditions.map((each) => each.subject),
  ]
  if (!subjects.every((subject) => refersTo(subject, 'Patient', patient.id)))
    throw new TypeError('fromMedicationRequest needs records of one patient: the subject of the prescription.')
}

/** A value that the schema refuses counts as missing. */
function refusedFields(
  { error }: z.ZodSafeParseResult<unknown>,
  request: unknown,
  given: Readonly<Record<string, string>>,
): RequestGap[] {
  if (error === undefined) return []
  return faultsOf(error, request).map(({ loc, msg }) => {
    const field = loc.slice(1).join('.')
    const from = Object.hasOwn(given, field) ? 'the given value' : 'the chart'
    return { field, from, why: 'unusable', says: msg }
  })
}

/** Leaves out absent values; an empty object stays. */
function withoutEmpty<T>(value: T): T {
  // A request is plain JSON.
  return JSON.parse(JSON.stringify(value)) as T
}
