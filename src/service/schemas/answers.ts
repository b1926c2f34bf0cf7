import { z } from 'zod'
import { lenientOf } from './lenient.ts'
import { InitialOutreach } from './provider-outreach.ts'
import { saidIn } from './said.ts'
import { essential } from './shape.ts'
import { ncpdpId, text } from './text.ts'

const said = saidIn('specification, Endpoints')

/** `data` of the answer to a creation (specification, Resources). */
export const CreatedAnswer = z.strictObject({ id: essential(text.meta(said('Id of what was created.'))) })

/** `data` of the answer to a PA creation; with provider outreach, its initial outcome (specification, Endpoint rules). */
export const CreatedPriorAuthorization = CreatedAnswer.extend({
  provider_outreach: InitialOutreach.optional().meta(
    saidIn('specification, Endpoint rules')('How the outreach began; only where the request enabled it.'),
  ),
})

/** What every create returns; `provider_outreach` is present where a PA asked for outreach. */
export const Created = lenientOf(CreatedPriorAuthorization)
export type Created = z.infer<typeof Created>

/** `data` of the answer to an NDP update (specification, Endpoints). */
export const NdpSubmissionUpdate = z.strictObject({
  preferred_pharmacy_ncpdp_id: ncpdpId.meta(said('Seven digits (NCPDP id) of the pharmacy that is preferred now.')),
})

/** The answer to a change of the preferred pharmacy. */
export const PreferredPharmacy = lenientOf(NdpSubmissionUpdate)
export type PreferredPharmacy = z.infer<typeof PreferredPharmacy>

/** `data` of the answer to the status probe (specification, Endpoints). */
export const ServiceStatus = z.strictObject({ message: z.string().meta(said('A sentence for people.')) })

/** The answer of the status probe as it is read. */
export const StatusAnswer = lenientOf(ServiceStatus)
export type StatusAnswer = z.infer<typeof StatusAnswer>
