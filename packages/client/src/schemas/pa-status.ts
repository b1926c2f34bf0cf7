import { z } from 'zod'
import { insuranceFields } from './insurance.ts'
import { lenientOf } from './lenient.ts'
import { PatientRequest, ProviderRequest } from './people.ts'
import { insured } from './rules.ts'
import { keysOf, meaningsIn, saidIn } from './said.ts'
import { essential } from './shape.ts'
import { date, ndc, text } from './text.ts'

/** Meaning of each status of a status check; unreleased (supplement, Other endpoints). */
export const paStatuses = {
  pending: 'the payer is being asked',
  completed: 'the found PAs are listed, possibly none',
  failed: 'the payer could not be asked; see `failure_reason`',
} as const

const said = saidIn('supplement, Other endpoints; unreleased')

/** Body of POST /pa-status, which is announced without a shape. The fields are a guess at the data that finds a patient's PAs, and subject to change. */
export const PaStatusRequest = insured(
  z.strictObject({
    patient: PatientRequest.meta(said('The patient whose PAs are searched.')),
    provider: ProviderRequest.optional().meta(said('Who prescribes.')),
    ...insuranceFields(said),
    drugs: z
      .array(
        z.union([
          z.strictObject({ name: text.meta(said('Name of the drug; not empty.')) }),
          z.strictObject({
            ndc: ndc.meta(
              said('NDC: 11 digits with or without hyphens (5-4-2), or 10 digits with hyphens.', {
                examples: ['12345-6789-01'],
              }),
            ),
          }),
        ]),
      )
      .optional()
      .meta(said('Drugs to search PAs for, by name or by NDC; all if omitted.')),
  }),
)
export type PaStatusRequest = z.infer<typeof PaStatusRequest>

/** One PA that a status check found; unreleased, and all but `status` is a guess (supplement, Other endpoints). */
export const FoundPriorAuthorization = z.strictObject({
  status: z
    .enum(['approved', 'denied', 'in_progress', 'other'])
    .meta(said("The payer's status of the PA, in terms common to all payers.")),
  drug: z
    .union([
      z.strictObject({ name: z.string().meta(said('Name of the drug.')) }),
      z.strictObject({ ndc: z.string().meta(said('NDC of the drug.', { examples: ['12345-6789-01'] })) }),
    ])
    .meta(said('The drug of the PA, by name or by NDC.')),
  authorization_start_date: date.nullable().meta(said('First day of the PA, or null.')),
  authorization_expiration: date.nullable().meta(said('Last day of the PA, or null.')),
})
export type FoundPriorAuthorization = z.infer<typeof FoundPriorAuthorization>

/** A PA status check; unreleased (supplement, Other endpoints). */
export const PaStatusResource = z.strictObject({
  id: z.string().meta(said('Id of the status check.')),
  object: z.literal('pa_status').meta(said('Tells the kind of resource.')),
  status: essential(z.enum(keysOf(paStatuses)).meta(said(`Status of the check. ${meaningsIn(paStatuses)}`))),
  failure_reason: z
    .string()
    .nullable()
    .meta(said('Reason of the failure; null unless the check failed.', { examples: ['payer_unreachable'] })),
  effective_processing_method: z
    .enum(['instant', 'standard'])
    .meta(said('Mode of the check: `instant` takes minutes, `standard` hours.')),
  prior_authorizations: z
    .array(FoundPriorAuthorization)
    .nullable()
    .meta(said('The found PAs. Null until the check is completed; empty if there are none.')),
})
export type PaStatusResource = z.infer<typeof PaStatusResource>

/** A status check, read leniently: only `status` is required. */
export const PaStatusCheck = lenientOf(PaStatusResource)
export type PaStatusCheck = z.infer<typeof PaStatusCheck>
