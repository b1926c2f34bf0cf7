import { randomUUID } from 'node:crypto'
import { type Api, type BenefitVerification, defineHandler, isApproved, PawlError } from '../../../../src/index.ts'
import { draftResubmission } from '../../../../templates/resubmission-draft/draft-resubmission.ts'
import { beside, tell } from '../own-handlers.ts'

const client = randomUUID()
const known = new Map<string, BenefitVerification>()
const letter = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64')

class NotConfirmed extends PawlError {
  readonly code = 'not_confirmed'
  override readonly retry = 'backoff'
}

/** Handlers that are wrong in the keys of what they send, or in what they remember. */
export const keyAndMemoryHandlers = {
  'draws a key for each attempt': beside(async ({ resource: { id, outcome }, once }) => {
    if (!isApproved(outcome)) return
    await once('invoice', () => tell('POST', 'https://billing.example/invoices', { of: id }, randomUUID()))
  }),

  'has a key of its process': beside(async ({ resource: { id, status } }) => {
    if (status !== 'completed') return
    await tell('POST', 'https://billing.example/invoices', { of: id }, `${client}/${id}`)
  }),

  'passes on what is later than the last': beside(async ({ resource, memory }) => {
    let last = (await memory.read(resource.id)) ?? ''
    for (const { id, timestamp = '' } of resource.message_thread?.messages ?? []) {
      if (timestamp <= last) continue
      await tell('POST', 'https://inbox.example/messages', { case: resource.id, message: id }, id)
      last = timestamp
      await memory.write(resource.id, last)
    }
  }),

  'appeals again without an answer': beside(async ({ resource, api, once, signal }) => {
    if (resource.outcome?.result !== 'Denied' || resource.is_appeal === true || resource.status !== 'completed') return
    const appeal_letter = { asset: { file_content: letter }, title: 'Appeal', date_created: '2026-01-01T00:00:00Z' }
    // A draft of a PA has all that an appeal needs.
    const request = { ...draftResubmission(resource).body, appeal_details: { appeal_letter } } as Parameters<
      Api['createPriorAuthorization']
    >[0]
    await once('appeal', async () => {
      try {
        await api.createPriorAuthorization(request, { signal })
      } catch {
        throw new NotConfirmed('It is sent again.')
      }
    })
  }),

  'keeps a BV that it read': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.status_change', 'benefit_verification.status_change'],
    async handle({ kind, resource, api, ehr, signal }) {
      const note = ({ status }: BenefitVerification) => ({ key: 'bv', title: 'Benefits', text: `They are ${status}.` })
      if (kind === 'benefit_verification') {
        const { triggered_by_pa_id: id } = resource
        if (id !== undefined) await ehr.putNote(await api.getPriorAuthorization(id, { signal }), note(resource))
        return
      }
      const { triggered_benefit_verification_id: id } = resource
      if (id === undefined) return
      const read = known.get(id) ?? (await api.getBenefitVerification(id, { signal }))
      known.set(id, read)
      await ehr.putNote(resource, note(read))
    },
  }),

  'remembers the answer before': beside(async ({ resource: { id, status }, memory }) => {
    if ((await memory.read(id)) === status) return
    await tell('PUT', `https://records.example/cases/${id}`, { status })
    await memory.write(id, status)
  }),

  'has one note for all attempts': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.provider_outreach_change'],
    async handle({ resource: { prior_authorization_id: id, state }, api, ehr, signal }) {
      if (id === undefined) return
      const about = await api.getPriorAuthorization(id, { signal })
      await ehr.putNote(about, { key: 'asking', title: 'Asking', text: `The prescriber was asked: ${state}.` })
    },
  }),

  'has one task for a patient': beside(async ({ resource, ehr, memory, digest }) => {
    const patient = digest(resource.patient?.internal_id ?? resource.id)
    const holder = (await memory.read(patient)) ?? 'none'
    if (resource.status === 'awaiting_provider_response') {
      if (holder !== 'none' && holder !== resource.id) return
      await memory.write(patient, resource.id)
      await ehr.openStaffTask(resource, { key: 'call', reason: 'asked', title: 'Call the prescriber' })
    } else if (holder === resource.id) {
      await ehr.closeStaffTask(resource, 'completed', 'call')
      await memory.write(patient, 'none')
    }
  }),
}
