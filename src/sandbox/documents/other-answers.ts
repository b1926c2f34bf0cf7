import { z } from 'zod'
import { ncpdpId } from '../../resources/requests/text.ts'
import { documentedErrors } from '../platform/documented-errors.ts'
import { CodedError as AnyCodedError } from '../platform/refusal.ts'
import { InitialOutreach } from '../provider-outreach/resource.ts'

/** `data` of the answer to a creation (specification, Resources). */
export const Created = z.strictObject({ id: z.string() })

/** `data` of the answer to a PA creation; with provider outreach, its initial outcome (specification, Endpoint rules). */
export const CreatedPriorAuthorization = Created.extend({ provider_outreach: InitialOutreach.optional() })

/** `data` of the answer to an NDP update (specification, Endpoints). */
export const NdpSubmissionUpdate = z.strictObject({ preferred_pharmacy_ncpdp_id: ncpdpId })

/** `data` of the answer to the status probe (specification, Endpoints). */
export const ServiceStatus = z.strictObject({ message: z.string() })

/** The coded error body with every code that the service documents. */
export const CodedError = AnyCodedError.extend({
  error: AnyCodedError.shape.error.extend({ code: z.enum(['rate_limit_exceeded', ...Object.keys(documentedErrors)]) }),
})
