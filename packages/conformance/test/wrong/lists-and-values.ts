import { type BenefitVerification, defineHandler } from '../../../../src/index.ts'
import { hook, tell } from '../own-handlers.ts'

type Drug = NonNullable<BenefitVerification['drugs']>[number]

const on = ['benefit_verification.status_change'] as const

/** Handlers that take one item for all, a value for none, or one event for all, by the name of their fault. */
export const listAndValueHandlers = {
  'leaves out a cost of nothing': defineHandler({
    name: 'benefit-verification-to-ehr',
    on,
    async handle({ resource, ehr }) {
      const priced = (drug: Drug) => ({
        ...drug,
        copay_options: (drug.copay_options ?? []).filter(({ amount_cents: cents }) => cents),
      })
      await ehr.putBenefitVerification({ ...resource, drugs: (resource.drugs ?? []).map(priced) })
    },
  }),

  'asks for the first drug that needs it': defineHandler({
    name: 'own-handler',
    on,
    async handle({ resource, ehr, digest }) {
      const drug = resource.drugs?.find((each) => each.prior_authorization_required === 'yes')
      if (drug === undefined) return
      const { ndc, name, dosage } = drug
      await ehr.openStaffTask(resource, {
        key: digest(`${ndc} ${name} ${dosage}`),
        reason: 'needs_authorization',
        title: 'Ask for it',
        instructions: `${ndc ?? name} needs an authorization.`,
      })
    },
  }),

  'puts words into JSON by hand': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.message'],
    async handle({ changes, once }) {
      for (const { id, content } of changes.newMessages)
        await once(id, async () => {
          const body = `{"key":"${id}","text":"${content}"}`
          const answer = await fetch(hook, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
          if (!answer.ok) throw new Error('It was refused.')
        })
    },
  }),

  'throws at a coverage that it does not know': defineHandler({
    name: 'own-handler',
    on,
    async handle({ resource: { status, drugs = [] } }) {
      for (const { coverage } of status === 'completed' ? drugs : [])
        if (coverage !== undefined && !['covered', 'not_covered'].includes(coverage))
          throw new Error('No such coverage.')
      await Promise.resolve()
    },
  }),

  'keeps facts that were withdrawn': defineHandler({
    name: 'prior-authorization-to-ehr',
    on: ['prior_authorization.status_change', 'prior_authorization.real_time_benefits_check_change'],
    async handle({ resource, previous, ehr }) {
      const diagnoses = resource.diagnoses ?? previous?.diagnoses
      await ehr.putPriorAuthorization({ ...resource, ...(diagnoses && { diagnoses }) })
    },
  }),

  'withdraws a PA that has ended': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.real_time_benefits_check_change'],
    async handle({ resource: { id, status, real_time_benefits_check_response: check }, api }) {
      if (check?.prior_auth_required !== false || status === 'completed') return
      await api.cancelPriorAuthorization(id, 'None is required.')
    },
  }),

  'takes what may have run for done': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.prescription_transfer_change'],
    async handle({ resource: { id, prescription_transfer: transfer }, once }) {
      if (transfer?.status !== 'error') return
      await once('call', async ({ mayHaveRun }) => {
        if (!mayHaveRun) await tell('POST', hook, { about: id }, id)
      })
    },
  }),

  'follows too few events': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.status_change'],
    async handle({ resource: { id, status, prescription_transfer: transfer } }) {
      await tell('PUT', `https://records.example/cases/${id}`, { status, sent: transfer?.status === 'completed' })
    },
  }),
}
