import { defineHandler, isApproved, type PriorAuthorization } from '../../../../src/index.ts'
import { beside, tell } from '../own-handlers.ts'
import { rawChart } from './raw-systems.ts'

const deskOf = (id: string) => `https://desk.example/cases/${id}`

function needOf({ status, outcome }: PriorAuthorization): string | undefined {
  if (status === 'awaiting_review') return 'Review the request'
  if (status === 'awaiting_provider_response') return 'Answer the payer'
  return status === 'completed' && outcome?.result === 'Denied' ? 'Decide on an appeal' : undefined
}

/** Handlers that are wrong once the service, or staff, take back or end what was told before. */
export const takenBackHandlers = {
  'notes the result of a move alone': beside(async ({ resource, changes, ehr }) => {
    if (changes.status === undefined || resource.status !== 'completed') return
    const text = `The payer's answer: ${resource.outcome?.result}.`
    await ehr.putNote(resource, { key: 'answer', title: 'Answer', text })
  }),

  'asks for an appeal against all but approvals': beside(async ({ resource, ehr }) => {
    const isOpen = resource.status === 'completed' && !isApproved(resource.outcome)
    if (isOpen) await ehr.openStaffTask(resource, { key: 'appeal', reason: 'denied', title: 'Appeal' })
    else await ehr.closeStaffTask(resource, 'cancelled', 'appeal')
  }),

  'has one reason for all that waits': beside(async ({ resource, ehr }) => {
    const title = needOf(resource)
    if (title === undefined) await ehr.closeStaffTask(resource, 'completed', 'attention')
    else await ehr.openStaffTask(resource, { key: 'attention', reason: 'attention', title })
  }),

  'opens again what staff completed': beside(async ({ resource, settings, ehr }) => {
    await ehr.putPriorAuthorization(resource)
    const chart = rawChart(settings)
    const about = await chart.find('Task', 'prior-authorization', resource.id)
    if (about === undefined || !JSON.stringify(about).includes(resource.id)) return
    const held = await chart.find('Task', 'own-task', resource.id)
    const status = needOf(resource) === undefined ? 'cancelled' : 'requested'
    const system = `${settings.FHIR_IDENTIFIER_BASE.replace(/\/+$/, '')}/own-task`
    const task = { resourceType: 'Task', identifier: [{ system, value: resource.id }], status, intent: 'order' }
    if (held === undefined) {
      if (status === 'requested') await chart.send('POST', 'Task', { ...task, for: about['for'] })
    } else if (held['status'] !== status && JSON.stringify(held).includes(resource.id)) {
      const { versionId } = { ...(held['meta'] as { versionId?: string } | undefined) }
      await chart.send('PUT', `Task/${held.id}`, { ...held, status }, { 'if-match': `W/"${versionId}"` })
    }
  }),

  'keeps an appeal with the one before': beside(async ({ resource: { id, status, resubmission_info: before } }) => {
    const whole = before?.previous_prior_auth_request_id ?? id
    await tell('PUT', `${deskOf(whole)}/requests/${id}`, { status })
  }),

  'takes an unknown result for an approval': beside(async ({ resource: { id, status, outcome }, ...given }) => {
    const { result = 'Pending' } = outcome ?? {}
    if (status !== 'completed' || ['Denied', 'Other', 'Not Submitted'].includes(result)) return
    await given.once('start', () => tell('POST', 'https://infusion.example/starts', { of: id }, id))
  }),

  'files faxes as they are announced': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.activity_log_updated', 'prior_authorization.status_change'],
    async handle({ resource, previous }) {
      const known = new Set(previous?.activity_log?.map(({ id }) => id))
      for (const { id = '', type, details } of resource.activity_log ?? []) {
        if (known.has(id) || type === 'follow_up_call' || details?.url === undefined) continue
        await tell('PUT', `https://archive.example/faxes/${id}`, { fax: id, of: resource.id })
      }
    },
  }),

  'tells no transfer that is as it was': defineHandler({
    name: 'prescription-transfer-to-pharmacy',
    on: ['prior_authorization.prescription_transfer_change', 'prior_authorization.status_change'],
    async handle({ resource, previous, pharmacy }) {
      const [now, before] = [resource, previous].map((each) => JSON.stringify(each?.prescription_transfer))
      if (now !== before) await pharmacy.putPrescriptionTransfer(resource)
    },
  }),

  'ends its task with some ends alone': beside(async ({ resource, ehr }) => {
    const task = { key: 'wait', reason: 'waits', title: 'Ask the payer' }
    if (resource.status === 'awaiting_review') await ehr.openStaffTask(resource, task)
    else if (['awaiting_outcome', 'cancelled'].includes(resource.status))
      await ehr.closeStaffTask(resource, 'completed', 'wait')
  }),
}
