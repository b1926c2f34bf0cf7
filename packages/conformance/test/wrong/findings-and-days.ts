import { defineHandler, isApproved } from '../../../../src/index.ts'
import { beside, tell } from '../own-handlers.ts'

const verified = ['benefit_verification.status_change'] as const

/** Handlers that are wrong in what they make of findings, codes, costs and days that are absent, unknown or first in a list. */
export const findingAndDayHandlers = {
  'notes the cost of the first drug': defineHandler({
    name: 'own-handler',
    on: verified,
    async handle({ resource, ehr }) {
      const [first] = resource.drugs?.[0]?.copay_options ?? []
      if (first === undefined) return
      const text = `The patient pays ${first.amount_cents} cents.`
      await ehr.putNote(resource, { key: 'copay', title: 'Cost', text })
    },
  }),

  'takes unknown findings for none': defineHandler({
    name: 'own-handler',
    on: verified,
    async handle({ resource, ehr }) {
      if (resource.status !== 'completed') return
      const isNeeded = resource.drugs?.some(({ prior_authorization_required: needs }) => needs === 'yes')
      const reason = isNeeded === true ? 'needs_pa' : 'ready'
      await ehr.openStaffTask(resource, { key: 'next', reason, title: 'Go on' })
    },
  }),

  'says that unknown drugs are not covered': defineHandler({
    name: 'own-handler',
    on: verified,
    async handle({ resource, ehr }) {
      const lines = (resource.drugs ?? []).map(({ coverage }) => (coverage === 'covered' ? 'Covered.' : 'Not covered.'))
      if (resource.status === 'completed')
        await ehr.putNote(resource, { key: 'coverage', title: 'Coverage', text: lines.join('\n') })
    },
  }),

  'knows an approval by its code': beside(async ({ resource, ehr }) => {
    if (resource.status !== 'completed') return
    const task = { key: 'call', reason: 'approved', title: 'Call the patient' }
    const isKnown = resource.outcome?.detail_code === 'approval'
    if (isKnown) await ehr.openStaffTask(resource, task)
    else await ehr.closeStaffTask(resource, 'cancelled', 'call')
  }),

  'takes a cost of nothing for an unknown one': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.real_time_benefits_check_change', 'prior_authorization.status_change'],
    async handle({ resource, ehr }) {
      const { patient_cost: cost } = resource.real_time_benefits_check_response ?? {}
      if (cost === undefined) return
      const amount = Number(String(cost).replace('$', ''))
      const text = amount === 0 ? 'The cost is not known.' : `The patient pays $${amount.toFixed(2)}.`
      await ehr.putNote(resource, { key: 'cost', title: 'Cost', text })
    },
  }),

  'lets an approval end a year after its prescription': beside(async ({ resource: { id, outcome, prescription } }) => {
    if (!isApproved(outcome)) return
    const [year = '', ...others] = (prescription?.prescription_date ?? '').slice(0, 10).split('-')
    const until = outcome?.authorization_expiration ?? [Number(year) + 1, ...others].join('-')
    await tell('PUT', `https://register.example/authorizations/${id}`, { until })
  }),

  'puts words into a form by hand': beside(async ({ resource: { id, message_thread: thread }, signal }) => {
    const text = thread?.messages?.at(-1)?.content
    if (text === undefined) return
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const init = { method: 'PUT', headers, body: `message=${encodeURI(text)}`, signal }
    const answer = await fetch(`https://desk.example/cases/${id}`, init)
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error('It was refused.')
  }),
}
