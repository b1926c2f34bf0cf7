import { randomBytes } from 'node:crypto'
import * as requests from '../../documents/request-examples.ts'

/** The endpoints that create a case. */
export const createPaths = [
  '/prior-authorization',
  '/benefit-verification',
  '/clinical-qualification',
  '/pa-status',
] as const
export type CreatePath = (typeof createPaths)[number]

/** A request that is accepted as it is. */
export interface Example {
  name: string
  /** What it is, and what becomes of it. */
  title: string
  path: CreatePath
  body: object
}

const { mock_result: _approved, ndp_submission: _ndp, ...open } = requests.priorAuthorization
const { ndp_submission, ...approved } = requests.priorAuthorization

/** What a small form can say of a PA. */
export interface Wishes {
  drug?: string | undefined
  /** Absent: chance decides. */
  result?: 'Approved' | 'Denied' | 'Not Submitted' | 'Other' | undefined
  /** The prescription goes to a pharmacy once the PA is approved. */
  hasTransfer: boolean
  /** The prescriber is reached out to; the organization must be a pharmacy. */
  hasOutreach: boolean
}

/** The request for a PA as wished. */
export function wishedRequest({ drug, result, hasTransfer, hasOutreach }: Wishes): object {
  const { prescription } = requests.priorAuthorization
  return fresh({
    ...open,
    prescription: { ...prescription, ...(drug !== undefined && { drug_name: drug }) },
    ...(hasTransfer && { ndp_submission }),
    ...(hasOutreach && { provider_outreach: { enabled: true } }),
    ...(result !== undefined && { mock_result: { result } }),
  })
}

/** The sample requests, each of a patient and a prescription that nobody has had before. */
export function examples(): Example[] {
  return [
    {
      name: 'approved',
      title: 'A prior authorization that is approved; its prescription goes to a pharmacy',
      path: '/prior-authorization',
      body: fresh(requests.priorAuthorization),
    },
    {
      name: 'denied',
      title: 'A prior authorization that is denied',
      path: '/prior-authorization',
      body: fresh(requests.codedPriorAuthorization),
    },
    {
      name: 'not-submitted',
      title: 'A prior authorization that lacks information',
      path: '/prior-authorization',
      body: fresh({ ...approved, mock_result: { result: 'Not Submitted', detail_code: 'more_information_required' } }),
    },
    {
      name: 'open',
      title: 'A prior authorization whose outcome is left to chance',
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
      title: 'A check of the status of prior authorizations (unreleased)',
      path: '/pa-status',
      body: requests.paStatus,
    },
  ]
}

/** The request for somebody else: the same patient or prescription a second time would be refused. */
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
