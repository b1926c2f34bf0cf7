import { defineHandler, type PriorAuthorization } from '#pawl'

type Check = NonNullable<PriorAuthorization['real_time_benefits_check_response']>

/** Writes the patient's cost of the drug and of its alternatives as a note in the chart. It also follows status changes, so that the next event makes up for a lost one. */
export default defineHandler({
  name: 'real-time-benefits-to-ehr',
  on: ['prior_authorization.real_time_benefits_check_change', 'prior_authorization.status_change'],
  async handle({ resource, ehr }) {
    const check = resource.real_time_benefits_check_response
    if (check === undefined) return
    const text = linesOf(check).join('\n')
    if (text === '') return
    await ehr.putNote(resource, { key: 'real-time-benefits', kind: 'benefits', title: 'Real-time benefits check', text })
  },
})

/** The facts in the check, without missing ones. */
function linesOf({ alternatives = [], ...prescribed }: Check): string[] {
  const own = factsOf(prescribed)
  return [
    ...(own === '' ? [] : [`Prescribed drug: ${own}`]),
    ...alternatives.map(({ description, product_id = 'unnamed', ...facts }) =>
      [`Alternative: ${description ?? product_id}`, factsOf(facts)].filter((part) => part !== '').join(', '),
    ),
  ]
}

function factsOf({
  patient_cost: cost,
  prior_auth_required: isRequired,
}: Pick<Check, 'patient_cost' | 'prior_auth_required'>): string {
  const facts = [
    // The service does not state the unit of a bare number.
    ...(cost === undefined ? [] : [`cost to the patient ${cost}`]),
    ...(isRequired === undefined ? [] : [`prior authorization ${isRequired ? '' : 'not '}required`]),
  ]
  return facts.join(', ')
}
