import { ApiError, ApiOutcomeUnknown, type BenefitVerification, defineHandler } from '#pawl'
import { draftOf, type PriorAuthorizationRequest } from '../draft-of.ts'

type Drug = NonNullable<BenefitVerification['drugs']>[number]

/** Finds the prescription of a verified drug, since a BV has none; `undefined` if there is none. */
export type FindPrescription = (
  drug: Drug,
  benefitVerification: BenefitVerification,
  signal: AbortSignal,
) => Promise<PriorAuthorizationRequest['prescription'] | undefined>

/** Creates a PA, once, for each drug of a completed BV that requires one and has none; opens a task if it cannot. */
export default (findPrescription: FindPrescription) =>
  defineHandler({
    name: 'benefit-verification-to-prior-authorization',
    on: ['benefit_verification.status_change'],
    async handle({ resource, api, ehr, once, digest, signal }) {
      // A BV triggered by a PA belongs to that PA.
      if (resource.status !== 'completed' || resource.triggered_by_pa_id !== undefined) return

      async function create(drug: Drug): Promise<string | null> {
        const prescription = await findPrescription(drug, resource, signal)
        if (prescription === undefined) return 'prescription_missing'
        // The compiler cannot see whether the BV has all data that a PA requires; the client checks it before sending.
        const request = { ...draftOf(resource), prescription } as PriorAuthorizationRequest
        try {
          await api.createPriorAuthorization(request, { signal })
          return null
        } catch (error) {
          // Permanent refusals and unknown outcomes are for people.
          if (error instanceof ApiOutcomeUnknown || isRefusal(error)) return error.code
          throw error
        }
      }

      for (const drug of resource.drugs ?? []) {
        if (drug.prior_authorization_required !== 'yes' || drug.has_active_prior_auth === true) continue
        const key = digest(nameOf(drug))
        const reason = await once(key, () => create(drug))
        if (reason == null) continue
        const instructions = `None was created for ${drug.name ?? drug.ndc ?? 'the drug'} (${reason}). Check that there is none, then create it.`
        await ehr.openStaffTask(resource, { key, reason, title: 'Create a prior authorization', instructions })
      }
    },
  })

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.retry === 'never' && !error.isOutage && !error.mayBeOutage
}

/** Key of a drug within one BV, without its name. */
function nameOf({ ndc, name, dosage, quantity }: Drug): string {
  return JSON.stringify([ndc, name, dosage, quantity])
}
