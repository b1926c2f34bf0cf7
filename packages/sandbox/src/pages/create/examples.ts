import { randomBytes } from 'node:crypto'
import * as requests from '../../documents/request-examples.ts'

/** Endpoints that create a case. */
export const createPaths = [
  '/prior-authorization',
  '/benefit-verification',
  '/clinical-qualification',
  '/pa-status',
] as const
export type CreatePath = (typeof createPaths)[number]

/** A valid request. */
export interface Example {
  name: string
  /** Kind and result of the case. */
  title: string
  path: CreatePath
  body: object
}

const { mock_result: _approved, ndp_submission: _ndp, ...open } = requests.priorAuthorization
const { ndp_submission, ...approved } = requests.priorAuthorization

/** Fields of the small form for a PA. */
export interface FormChoices {
  drug?: string | undefined
  /** Default: left to chance. */
  result?: 'Approved' | 'Denied' | 'Not Submitted' | 'Other' | undefined
  /** Transfers the prescription to a pharmacy after approval. */
  hasTransfer: boolean
  /** Starts provider outreach; the organization must be a pharmacy. */
  hasOutreach: boolean
}

/** Request for a PA with the form's choices. */
export function requestFromForm({ drug, result, hasTransfer, hasOutreach }: FormChoices): object {
  const { prescription } = requests.priorAuthorization
  return fresh({
    ...open,
    prescription: { ...prescription, ...(drug !== undefined && { drug_name: drug }) },
    ...(hasTransfer && { ndp_submission }),
    ...(hasOutreach && { provider_outreach: { enabled: true } }),
    ...(result !== undefined && { mock_result: { result } }),
  })
}

/** The sample requests, each with a new patient and prescription. */
export function examples(): Example[] {
  return [
    {
      name: 'approved',
      title: 'An approved prior authorization, with a transfer to a pharmacy',
      path: '/prior-authorization',
      body: fresh(requests.priorAuthorization),
    },
    {
      name: 'denied',
      title: 'A denied prior authorization',
      path: '/prior-authorization',
      body: fresh(requests.codedPriorAuthorization),
    },
    {
      name: 'not-submitted',
      title: 'A prior authorization with missing information',
      path: '/prior-authorization',
      body: fresh({ ...approved, mock_result: { result: 'Not Submitted', detail_code: 'more_information_required' } }),
    },
    {
      name: 'open',
      title: 'A prior authorization with a random outcome',
      path: '/prior-authorization',
      body: fresh(open),
    },
    {
      name: 'verification',
      title: 'A benefit verification of two drugs',
      path: '/benefit-verification',
      body: fresh(requests.benefitVerification),
    },
    {
      name: 'qualification',
      title: 'A clinical qualification',
      path: '/clinical-qualification',
      body: fresh(requests.clinicalQualification),
    },
    {
      name: 'status-check',
      title: 'A PA status check (unreleased)',
      path: '/pa-status',
      body: requests.paStatus,
    },
  ]
}

/** Replaces patient and prescription ids: the service refuses repeated ones. */
function fresh(body: { patient: object; ndp_submission?: object | undefined; [field: string]: unknown }): object {
  const mark = randomBytes(4).toString('hex')
  return {
    ...body,
    patient: { ...body.patient, internal_id: `patient-${mark}` },
    ...(body.ndp_submission !== undefined && {
      ndp_submission: { ...body.ndp_submission, prescription_message_id: `rx-${mark}` },
    }),
  }
}
