import { z } from 'zod'
import { ProviderAuthorizationRequest } from '../../resources/requests/provider.ts'
import { date, dateTime, ncpdpId } from '../../resources/requests/text.ts'
import { documentedErrors } from '../platform/documented-errors.ts'

const string = z.string()

const Individual = z.strictObject({ npi: string, first_name: string, last_name: string, state: string })

/** Answer of POST /provider/lookup (supplement, Other endpoints). */
export const ProviderLookup = z.union([
  z.strictObject({ status: z.enum(['active', 'deactivated']), individual: Individual }),
  z.strictObject({ status: z.enum(['not_found', 'registry_error']) }),
  z.strictObject({ status: z.literal('search_results'), candidates: z.array(Individual) }),
])

/** One item of GET /authorized-providers (supplement, Other endpoints). */
export const AuthorizedProvider = ProviderAuthorizationRequest.extend({ signed_at: dateTime })

/** A PA status check; unreleased (supplement, Other endpoints). */
export const PaStatusCheck = z.strictObject({
  id: string,
  object: z.literal('pa_status'),
  status: z.enum(['pending', 'completed', 'failed']),
  failure_reason: string.nullable(),
  effective_processing_method: z.enum(['instant', 'standard']),
  prior_authorizations: z
    .array(
      z.strictObject({
        status: z.enum(['approved', 'denied', 'in_progress', 'other']),
        drug: z.union([z.strictObject({ name: string }), z.strictObject({ ndc: string })]),
        authorization_start_date: date.nullable(),
        authorization_expiration: date.nullable(),
      }),
    )
    .nullable(),
})

const sequenceStates = ['in_progress', 'completed', 'exhausted', 'cancelled'] as const
const attempt = {
  id: string,
  channel: z.enum(['fax', 'email', 'phone']),
  state: z.enum(['created', 'sent', 'delivered', 'responded', 'expired', 'failed', 'cancelled']),
}

/** One attempt to reach a prescriber, as its event carries it (beta; supplement, Webhooks). */
export const ProviderOutreach = z.strictObject({
  ...attempt,
  object: z.literal('provider_outreach'),
  outreach_sequence_id: string,
  outreach_sequence_state: z.enum(sequenceStates),
  prior_authorization_id: string,
  created_at: dateTime,
  updated_at: dateTime,
  transmission: z
    .strictObject({
      sent_at: dateTime,
      to: string,
      content: string,
      attachments: z.array(z.strictObject({ file_name: string, url: string })),
    })
    .nullable(),
})

/** `data` of the answer to a creation (specification, Resources). */
export const Created = z.strictObject({ id: string })

/** `data` of the answer to a PA creation, which tells how outreach began (specification, Endpoint rules). */
export const CreatedPriorAuthorization = z.strictObject({
  id: string,
  provider_outreach: z
    .strictObject({
      outreach_sequence_id: string.nullable(),
      state: z.enum([...sequenceStates, 'not_started']),
      attempts: z.array(z.strictObject(attempt)),
    })
    .optional(),
})

/** `data` of the answer to an NDP update (specification, Endpoints). */
export const NdpSubmissionUpdate = z.strictObject({ preferred_pharmacy_ncpdp_id: ncpdpId })

export const ServiceStatus = z.strictObject({ message: string })

/** The three error bodies (specification, Error body shapes). */
export const CodedError = z.strictObject({
  status: z.literal('error'),
  error: z.looseObject({
    title: string,
    description: string,
    code: z.enum(['rate_limit_exceeded', ...Object.keys(documentedErrors)]),
    existing_prior_auth_request_id: string.optional(),
  }),
})
export const DetailError = z.strictObject({ detail: string })
export const ValidationError = z.strictObject({
  detail: z.array(z.strictObject({ loc: z.array(string), msg: string, type: string })),
})
