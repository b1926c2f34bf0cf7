import { defineHandler, isApproved } from '../../../../src/index.ts'
import { beside, tell } from '../own-handlers.ts'

const yearMs = 365 * 86_400_000
const checks = ['prior_authorization.real_time_benefits_check_change', 'prior_authorization.status_change'] as const

/** Handlers that are wrong in amounts of money and in days. */
export const amountAndDayHandlers = {
  'joins dollars and cents as numbers': defineHandler({
    name: 'own-handler',
    on: ['benefit_verification.status_change'],
    async handle({ resource, ehr }) {
      const options = (resource.drugs ?? []).flatMap(({ copay_options: all = [] }) => all)
      const amounts = options.map(({ amount_cents: cents }) => `$${Math.floor(cents / 100)}.${cents % 100}`)
      if (amounts.length > 0) await ehr.putNote(resource, { key: 'copay', title: 'Cost', text: amounts.join(', ') })
    },
  }),

  'ends an approval a day early': beside(async ({ resource, ehr }) => {
    const { authorization_expiration: end } = resource.outcome ?? {}
    if (end === undefined) return
    const day = new Date(Date.parse(end) - 6 * 3_600_000).toISOString().slice(0, 10)
    await ehr.putNote(resource, { key: 'end', title: 'End', text: `The authorization ends on ${day}.` })
  }),

  'ends an approval in a year': beside(async ({ resource: { id, outcome } }) => {
    if (!isApproved(outcome)) return
    const until = outcome?.authorization_expiration ?? new Date(Date.now() + yearMs).toISOString().slice(0, 10)
    await tell('PUT', `https://register.example/authorizations/${id}`, { until })
  }),

  'keeps the cost of a check before': defineHandler({
    name: 'own-handler',
    on: checks,
    async handle({ resource, ehr }) {
      const { prior_auth_required: isRequired, patient_cost: cost } = resource.real_time_benefits_check_response ?? {}
      if (isRequired !== true) return
      await ehr.putNote(resource, { key: 'cost', title: 'Cost', text: `The patient pays ${cost}.` })
    },
  }),

  'takes a cost of nothing for none': defineHandler({
    name: 'own-handler',
    on: checks,
    async handle({ resource, ehr }) {
      const cost = Number(resource.real_time_benefits_check_response?.patient_cost)
      if (cost > 0) await ehr.putNote(resource, { key: 'cost', title: 'Cost', text: `The patient pays ${cost}.` })
    },
  }),

  'gives up a fax whose address has expired': defineHandler({
    name: 'letters-and-faxes-to-ehr',
    on: ['prior_authorization.activity_log_updated', 'prior_authorization.status_change'],
    async handle({ resource, previous, api, ehr, log, signal }) {
      const done = new Set(previous?.activity_log?.map(({ id }) => id))
      for (const { id, type, details, created_at: at } of resource.activity_log ?? []) {
        if (id === undefined || done.has(id)) continue
        try {
          if (type === 'follow_up_call' && details?.notes)
            await ehr.putNote(resource, { key: id, title: 'Call', text: details.notes, at })
          if (details?.url === undefined || type === 'follow_up_call') continue
          const kind = type === 'sent_fax' ? 'fax_sent' : 'fax_received'
          const file = await api.downloadFile(details.url, { signal })
          await ehr.putFile(resource, { ...file, key: id, kind, title: 'Fax', at })
        } catch (error) {
          if (!(error instanceof Error) || error.name !== 'FileExpired') throw error
          log.warn({ error }, 'file left out')
        }
      }
    },
  }),
}
