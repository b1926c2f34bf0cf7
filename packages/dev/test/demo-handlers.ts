import { type AnyIntegration, defineHandler, PawlError } from '../../../src/index.ts'

class NotToday extends PawlError {
  readonly code = 'not_today'
  override readonly retry = { afterMs: 3_600_000 }
}

const broken = defineHandler({
  name: 'broken',
  on: ['benefit_verification.status_change'],
  async handle({ resource }) {
    if (resource.status === 'completed') throw new TypeError('Testa Sample')
  },
})
const waiting = defineHandler({
  name: 'waiting',
  on: ['prior_authorization.message'],
  async handle() {
    throw new NotToday('Somebody has to sign first.')
  },
})
const announcing = defineHandler({
  name: 'announcing',
  on: ['prior_authorization.status_change'],
  async handle({ resource, log }) {
    log.info({ resource_id: resource.id, status: resource.status }, 'tell the team here')
  },
})
/** Fail, each in its own way, or write otherwise than the service says. */
export const wrong: AnyIntegration['handlers'] = [
  broken,
  waiting,
  announcing,
  defineHandler({
    name: 'lying-of-authorizations',
    on: ['prior_authorization.status_change', 'prior_authorization.message'],
    async handle({ resource, ehr }) {
      await ehr.putPriorAuthorization(resource)
      for (const message of resource.message_thread?.messages ?? [])
        await ehr.putMessage(resource, { ...message, content: 'Something else.' })
      if (resource.prescription_transfer === undefined) return
      await ehr.putPrescriptionTransfer({ ...resource, prescription_transfer: { status: 'error' } })
    },
  }),
  defineHandler({
    name: 'lying-of-benefits',
    on: ['benefit_verification.status_change'],
    async handle({ resource, ehr }) {
      const [first = {}, second = {}, third = {}] = resource.drugs ?? []
      const drugs: typeof resource.drugs = [
        { ...first, coverage: 'not_covered', prior_authorization_required: 'no' },
        { ...second, copay: '$0.00', copay_options: [{ amount_cents: 1, supply_duration_days: 30 }] },
        { ...third, ndc: '00000-0000-00' },
      ]
      await ehr.putBenefitVerification({ ...resource, drugs })
    },
  }),
]
