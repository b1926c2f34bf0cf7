import { isApproved, isUnneeded } from 'pawl-client/schemas/outcome'
import { isTransferEnded, type PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import type { Filing } from '../filing.ts'
import { drugLabel, prescribedDrug, quantityOf } from '../fhir/mapping/drug.ts'
import {
  codeInWords,
  inWords,
  type Narrative,
  rowsOf,
  type Section,
  shownTime,
  withoutEmpty,
  yesOrNo,
} from './narrative.ts'
import { nextSteps } from './staff-next-steps.ts'
import { settledOutcome } from '../fhir/mapping/settled-outcome.ts'
import { historySection, costSection, transferSection } from './prior-authorization-sections.ts'
import { join, text } from '../primitives.ts'
import {
  diagnosisCodes,
  insuranceRows,
  nameOf,
  patientLine,
  prescriberRows,
  titleOf,
  writtenBy,
} from './shared-sections.ts'

/** A PA on one page; title and lead alone state the decision. Where results alone are filed, it says nothing that goes on changing, since each change would file it once more. */
export function priorAuthorizationNarrative(pa: PriorAuthorization, states: Filing['states'] = 'every'): Narrative {
  const isSettled = states === 'results'
  const drug = drugLabel(prescribedDrug(pa.prescription))
  return {
    title: titleOf(`Prior authorization: ${stateInWords(pa)}`, drug, pa.id),
    lead: lead(pa),
    patient: patientLine(pa.patient),
    sections: withoutEmpty([
      glanceSection(pa),
      fullSection(pa),
      requestSection(pa),
      { heading: 'Insurance', rows: [...insuranceRows(pa.insurance), ...planRows(pa)] },
      costSection(pa),
      ...(isSettled && !isTransferEnded(pa.prescription_transfer?.status) ? [] : [transferSection(pa)]),
      ...(isSettled ? [] : [historySection(pa)]),
      referenceSection(pa),
    ]),
  }
}

const statusWords: ReadonlyMap<string, string> = new Map([
  ['created', 'Created'],
  ['processing', 'In preparation'],
  ['awaiting_review', 'Waiting for review'],
  ['awaiting_outcome', "Waiting for the payer's answer"],
  ['awaiting_provider_response', "Waiting for the prescriber's answer"],
  ['validating_outcome', "The payer's answer is being checked"],
  ['completed', 'Completed'],
  ['failed', 'Failed'],
  ['not_submitted', 'Not submitted'],
  ['cancelled', 'Cancelled'],
])

/** Its state in a few words: the result, once there is one. */
function stateInWords(pa: PriorAuthorization): string {
  const outcome = settledOutcome(pa)
  const status = statusWords.get(pa.status) ?? inWords(pa.status)
  if (pa.status !== 'completed') return status
  if (isUnneeded(outcome)) return 'No authorization needed'
  if (isApproved(outcome)) return 'Approved'
  const result = text(outcome?.result)
  if (result === undefined) return 'Completed, result not stated'
  return result === 'Other' ? 'Completed without a decision' : result
}

/** In words, followed by the service's code if that differs. */
function statusInWords(status: string): string {
  const words = statusWords.get(status) ?? inWords(status)
  return words.toLowerCase() === inWords(status).toLowerCase() ? words : `${words} (${status})`
}

function lead(pa: PriorAuthorization): string {
  const outcome = settledOutcome(pa)
  const isGranted = pa.status === 'completed' && isApproved(outcome) && !isUnneeded(outcome)
  const reason = isGranted || isUnneeded(outcome) ? undefined : codeOf(outcome?.detail_code)
  return join([join([stateInWords(pa), reason], ': '), isGranted ? validity(pa) : undefined], ', ')?.concat('.') ?? ''
}

function codeOf(code: string | undefined): string | undefined {
  const sent = text(code)
  return sent && inWords(sent)
}

function validity(pa: PriorAuthorization): string {
  const { authorization_start_date: start, authorization_expiration: end } = settledOutcome(pa) ?? {}
  const from = text(start) && `valid from ${shownTime(start)}`
  if (text(end) === undefined) return from ?? 'no period of validity stated'
  return join([from ?? 'valid', `until ${shownTime(end)}`], ' ') ?? ''
}

/** Longest text of one row at a glance, in characters, so that all rows fit on one screen. */
const maxAtGlance = 140

/** Words of the payer or the service, which may be long. */
function wordsOf(pa: PriorAuthorization): Record<'said' | 'denied' | 'next', string | undefined> {
  const outcome = settledOutcome(pa)
  const analysis = outcome?.result === 'Denied' ? pa.denial_reason_analysis : undefined
  return {
    said: text(outcome?.detail),
    denied: join([join((analysis?.categories ?? []).map(inWords), ', '), analysis?.explanation], ': '),
    next: join(nextSteps(pa), ' '),
  }
}

/** Only a decision is in the payer's words. */
function saidLabel(pa: PriorAuthorization): string {
  const outcome = settledOutcome(pa)
  const isDecided = pa.status === 'completed' && (isApproved(outcome) || outcome?.result === 'Denied')
  return isDecided ? 'The payer says' : 'Explanation'
}

/** On one screen, what people look for first: the result in the payer's own words, until when, what to do, and whom to ask. */
function glanceSection(pa: PriorAuthorization): Section {
  const outcome = settledOutcome(pa)
  const hasPeriod = isApproved(outcome) && !isUnneeded(outcome)
  const { said, denied, next } = wordsOf(pa)
  const result = isApproved(outcome) ? 'Approved' : text(outcome?.result)
  const status = { Status: statusInWords(pa.status) }
  return {
    heading: 'At a glance',
    rows: rowsOf({
      Patient: patientLine(pa.patient),
      // Behind the rest where a result says as much.
      ...(result === undefined && status),
      Result: result,
      [saidLabel(pa)]: atGlance(said),
      Reason: codeInWords(outcome?.detail_code),
      'Reasons for the denial': atGlance(denied),
      'Valid from': hasPeriod ? shownTime(outcome?.authorization_start_date) : undefined,
      'Valid until': hasPeriod ? shownTime(outcome?.authorization_expiration) : undefined,
      'Next step': atGlance(next),
      Contact: join([nameOf(pa.submitted_by), pa.submitted_by?.email], ', '),
      'More at': pa.url,
      ...(result !== undefined && status),
      'Client code': outcome?.client_code,
      'Patient consent required': yesOrNo(pa.patient_consent_required),
    }),
  }
}

/** The words that are too long for a glance. */
function fullSection(pa: PriorAuthorization): Section {
  const inFull = (words: string | undefined) => (words === atGlance(words) ? undefined : words)
  const { said, denied, next } = wordsOf(pa)
  return {
    heading: 'In full',
    rows: rowsOf({
      [saidLabel(pa)]: inFull(said),
      'Reasons for the denial': inFull(denied),
      'Next step': inFull(next),
    }),
  }
}

function atGlance(words: string | undefined): string | undefined {
  if (words === undefined || (words.length <= maxAtGlance && !words.includes('\n'))) return words
  return `${words.slice(0, maxAtGlance).replaceAll(/\s+/g, ' ').trimEnd()} … (in full below)`
}

const priorities: readonly string[] = ['Critical', 'High', 'Medium', 'Low']

function requestSection(pa: PriorAuthorization): Section {
  const medication = pa.prescription
  const drug = [medication?.drug_name, medication?.strength, medication?.dose_form]
  return {
    heading: 'Request',
    rows: [
      ...rowsOf({
        Drug: join(drug, ' '),
        NDC: medication?.ndc,
        Route: medication?.route_of_administration,
        Directions: medication?.directions,
        Quantity: quantityOf(medication),
        'Days of supply': medication?.days_supply?.toString(),
        Prescribed: shownTime(medication?.prescription_date),
        'Diagnoses (ICD-10-CM)': diagnosisCodes(pa.diagnoses),
        Priority: priorities[pa.priority ?? -1],
        Appeal: yesOrNo(pa.is_appeal),
        'Quantity limit exception':
          pa.resubmission_info?.quantity_limit_exception_reason ?? pa.quantity_limit_exception_reason,
        'Follows request': pa.resubmission_info?.previous_prior_auth_request_id,
        'Note on the earlier request': pa.resubmission_info?.note,
      }),
      ...prescriberRows(pa.provider),
    ],
  }
}

function planRows(pa: PriorAuthorization): ReturnType<typeof rowsOf> {
  return (pa.eligibility_check_response ?? []).flatMap((item) => {
    const period = join([shownTime(item.effective_start_date), shownTime(item.effective_end_date)], ' to ')
    const plan = join([item.health_plan_name, item.plan_type && inWords(item.plan_type), period], ', ')
    const error = join([item.error_code, item.error_message], ': ')
    return rowsOf({ 'Plan found': plan, 'Plan check failed': error })
  })
}

function referenceSection(pa: PriorAuthorization): Section {
  return {
    heading: 'References',
    rows: rowsOf({
      'Reviewed by': join([nameOf(pa.reviewed_by), pa.reviewed_by?.email], ', '),
      Request: pa.id,
      'Prescription message': pa.ndp_submission?.prescription_message_id,
      'Benefit verification': pa.triggered_benefit_verification_id,
      'Written by': writtenBy,
    }),
  }
}
