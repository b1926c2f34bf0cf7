import { type BenefitVerification, defineHandler } from '../../../../../src/index.ts'
import { draftOf, type PriorAuthorizationRequest } from '../../../../../templates/draft-of.ts'

type Drug = NonNullable<BenefitVerification['drugs']>[number]

/** Wrong: creates PAs without `once`, so a second event or a retry of the same BV creates them again. */
export const handler = defineHandler({
  name: 'benefit-verification-to-prior-authorization',
  on: ['benefit_verification.status_change'],
  async handle({ resource, api, signal }) {
    if (resource.status !== 'completed' || resource.triggered_by_pa_id !== undefined) return
    for (const drug of resource.drugs ?? []) {
      if (drug.prior_authorization_required !== 'yes' || drug.has_active_prior_auth === true) continue
      const prescription = prescriptionOf(drug)
      if (prescription === undefined) continue
      // The compiler cannot see whether the BV has all that a PA needs; the client checks it.
      const request = { ...draftOf(resource), prescription } as PriorAuthorizationRequest
      await api.createPriorAuthorization(request, { signal })
    }
  },
})

/** A BV names form and route of no drug, so only coded drugs can be prescribed from it. */
function prescriptionOf({ ndc, quantity }: Drug): PriorAuthorizationRequest['prescription'] | undefined {
  if (ndc === undefined || quantity === undefined || !Number.isInteger(quantity)) return undefined
  return { ndc, quantity, days_supply: 30, directions: 'As directed.', prescription_date: '2026-01-05T09:00:00Z' }
}
