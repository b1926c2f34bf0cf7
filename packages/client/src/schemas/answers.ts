import { z } from 'zod'
import { lenientOf } from './lenient.ts'
import { InitialOutreach } from './provider-outreach.ts'
import { saidIn } from './said.ts'
import { essential } from './shape.ts'
import { ncpdpId, text } from './text.ts'

const said = saidIn('specification, Endpoints')

/** `data` of the answer to a creation (specification, Resources). */
export const CreatedAnswer = z.strictObject({ id: essential(text.meta(said('Id of the created resource.'))) })

/** `data` of the answer to a PA creation; with provider outreach, its initial outcome (specification, Endpoint rules). */
export const CreatedPriorAuthorization = CreatedAnswer.extend({
  provider_outreach: InitialOutreach.optional().meta(
    saidIn('specification, Endpoint rules')('Initial outcome of the outreach; only if the request enabled it.'),
  ),
})

/** Result of every create; `provider_outreach` is present if a PA requested outreach. */
export const Created = lenientOf(CreatedPriorAuthorization)
export type Created = z.infer<typeof Created>

/** `data` of the answer to an NDP update (specification, Endpoints). */
export const NdpSubmissionUpdate = z.strictObject({
  preferred_pharmacy_ncpdp_id: ncpdpId.meta(said('NCPDP id (seven digits) of the new preferred pharmacy.')),
})

/** The answer to a change of the preferred pharmacy. */
export const PreferredPharmacy = lenientOf(NdpSubmissionUpdate)
export type PreferredPharmacy = z.infer<typeof PreferredPharmacy>

/** `data` of the answer to the status probe (specification, Endpoints). */
export const ServiceStatus = z.strictObject({ message: z.string().meta(said('A sentence for people.')) })

/** The answer of the status probe, read leniently. */
export const StatusAnswer = lenientOf(ServiceStatus)
export type StatusAnswer = z.infer<typeof StatusAnswer>
