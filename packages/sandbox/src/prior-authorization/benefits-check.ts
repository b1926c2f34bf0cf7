import type { Platform } from '../platform.ts'
import type { Machine } from '../platform/machine.ts'
import type { Random } from '../platform/random.ts'
import { benefitsCheckRows, type BenefitsCheckState } from './benefits-check-states.ts'
import type { PriorAuthorizationRecord } from './record.ts'
import type { BenefitsCheckResponse } from 'pawl-client/schemas/prior-authorization'

/** Effects of the benefits check table: completion fills in the response and emits, at any status of the PA (specification, Events). */
export function benefitsCheckMachine({
  emit,
  random,
}: Platform): Machine<PriorAuthorizationRecord, BenefitsCheckState, never> {
  return {
    name: 'benefits_check',
    rows: benefitsCheckRows,
    conditions: {},
    progressOf: (record) => record.benefitsCheck,
    entered: ({ id, resource, organization, script, benefitsCheck }, state) => {
      if (state !== 'completed') return
      const earlier = (benefitsCheck?.visited ?? []).filter((seen) => seen === state).length - 1
      const draw = random.fork(`${id}/benefits_check${earlier > 0 ? `/${earlier}` : ''}`)
      resource.real_time_benefits_check_response = { ...inventedResponse(draw), ...script.pushedBenefits }
      delete script.pushedBenefits
      emit({ organization, type: 'prior_authorization.real_time_benefits_check_change', resource })
    },
  }
}

function inventedResponse(random: Random): BenefitsCheckResponse {
  const dollars = () => `$${random.between(5, 400).toFixed(2)}`
  const alternatives = ['Placebol 10 mg', 'Samplomab 5 mg'].slice(0, Math.floor(random.next() * 3))
  return {
    patient_cost: dollars(),
    prior_auth_required: random.fork('required').chance(0.8),
    alternatives: alternatives.map((description) => ({
      product_id: random.digits(11),
      description,
      patient_cost: dollars(),
      prior_auth_required: random.chance(0.5),
    })),
  }
}
