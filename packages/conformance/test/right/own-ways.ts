import { setTimeout as sleep } from 'node:timers/promises'
import { type AnyIntegration, defineHandler, type Given, isApproved } from '../../../../src/index.ts'
import { fhirEhr, fhirSettings } from '@pawl/ehr'
import { pharmacyFrom, pharmacySettings } from '@pawl/pharmacy'
import { draftOf } from '../../../../templates/draft-of.ts'
import { shippedHandlers } from '../../../../templates/index.ts'
import outreachToEhr from '../../../../templates/provider-outreach-to-ehr/handler.ts'
import { hook, own, send, tell } from '../own-handlers.ts'

const inWords: Partial<Record<string, string>> = {
  processing: 'is under way',
  awaiting_outcome: 'is with the payer',
  completed: 'has an answer',
}

/** Handlers that are right, each in a way of its own. */
const handlers = [
  own('verifies-once', async ({ resource, api, once }) => {
    if (resource.status !== 'processing') return
    const drugs = [{ name: resource.prescription?.drug_name, dosage: '10 mg', quantity: 4 }]
    // The compiler cannot see that a PA has all that a BV needs.
    await once(
      'verify',
      async () => void (await api.createBenefitVerification({ ...draftOf(resource), drugs } as never)),
    )
  }),

  own('welcomes-each-patient', async ({ resource, memory, digest }) => {
    const key = digest(String(resource.patient?.internal_id))
    if ((await memory.read(key)) !== undefined) return
    await tell('POST', 'https://post.example/welcomes', { key })
    await memory.write(key, 'done')
  }),

  own('notes-in-own-words', async ({ resource, ehr }) => {
    const words = inWords[resource.status]
    if (words !== undefined) await ehr.putNote(resource, { key: 'course', title: 'Course', text: `It ${words}.` })
  }),

  own('counts-news', async ({ resource, changes: { newMessages }, once }) => {
    const last = newMessages.at(-1)
    if (last === undefined) return
    await once(last.id, () => tell('POST', hook, { text: `${newMessages.length} messages about ${resource.id}` }))
  }),

  own('posts-of-files', async ({ changes, once }) => {
    for (const { id, content, attachments = [] } of changes.newMessages)
      if (attachments.length > 0) await once(id, () => tell('POST', hook, { key: id, text: content }))
  }),

  own('records-the-newest', async ({ resource }) => {
    const newest = resource.message_thread?.messages?.at(-1)
    await tell('PUT', `https://records.example/threads/${resource.id}`, { newest: newest?.content })
  }),

  own('is-slow', async ({ resource, once, signal }) => {
    if (resource.status !== 'completed') return
    await sleep(250, undefined, { signal })
    await once('slow', () => tell('POST', 'https://slow.example/hook', { text: `${resource.id} is completed` }))
  }),

  own('leaves-a-task-to-staff', async ({ resource, ehr, once }) => {
    const task = { key: 'call', reason: 'call_patient', title: 'Call the patient' }
    if (isApproved(resource.outcome)) await once('call', () => ehr.openStaffTask(resource, task))
  }),

  own('asks-people-instead', async ({ resource, ehr, once }) => {
    if (resource.status !== 'completed') return
    await once('told', async () => {
      const answer = await send('POST', 'https://fax.example/hook', { text: `${resource.id} is completed` })
      const task = { key: 'tell', reason: 'not_told', title: 'Tell them by phone' }
      if (!answer.ok) await ehr.openStaffTask(resource, task)
    })
  }),

  own('rather-never-than-twice', async ({ resource, once }) => {
    if (resource.status !== 'completed') return
    await once('text', async ({ mayHaveRun }) => {
      if (!mayHaveRun) await tell('POST', 'https://text.example/hook', { text: `${resource.id} is completed` })
    })
  }),

  own('looks-first', async ({ resource }) => {
    const place = `https://records.example/cases/${resource.id}`
    const known = await send('GET', place)
    if (!known.ok && known.status !== 404) throw new Error('It was refused.')
    if (known.status === 404) await tell('POST', 'https://records.example/welcomes', { key: resource.id })
    await tell('PUT', place, { status: resource.status })
  }),

  own('opens-for-a-while', async ({ resource, ehr }) => {
    const isWaiting = resource.status === 'awaiting_review' || resource.status === 'awaiting_provider_response'
    const task = { key: 'wait', reason: resource.status, title: 'Somebody waits' }
    if (isWaiting) await ehr.openStaffTask(resource, task)
    else await ehr.closeStaffTask(resource, 'completed', 'wait')
  }),

  own('reminds-the-day-before', async ({ resource, ehr }) => {
    const { authorization_expiration: end } = resource.outcome ?? {}
    if (end === undefined) return
    const before = new Date(Date.parse(end) - 86_400_000).toISOString().slice(0, 10)
    const text = `It ends on ${end}. Renew it by ${before}.`
    await ehr.putNote(resource, { key: 'renewal', title: 'Renewal', text })
  }),

  defineHandler({
    name: 'looks-after-transfers',
    on: ['prior_authorization.status_change', 'prior_authorization.prescription_transfer_change'],
    async handle({ resource, ehr }) {
      const { status, error_code: code = 'other' } = resource.prescription_transfer ?? {}
      const task = { key: 'transfer', reason: code, title: 'The transfer failed' }
      if (status === 'error') await ehr.openStaffTask(resource, task)
      else await ehr.closeStaffTask(resource, 'completed', 'transfer')
    },
  }),

  defineHandler({
    name: 'calls-when-nobody-answers',
    on: ['prior_authorization.provider_outreach_change'],
    async handle({ resource, api, ehr, signal }) {
      const { prior_authorization_id: id, outreach_sequence_state: state } = resource
      if (id === undefined) return
      const about = await api.getPriorAuthorization(id, { signal })
      const task = { key: 'outreach', reason: 'no_answer', title: 'Call the prescriber' }
      if (state === 'exhausted') await ehr.openStaffTask(about, task)
      else await ehr.closeStaffTask(about, 'completed', 'outreach')
    },
  }),
]

const ownSettings = { ...fhirSettings, ...pharmacySettings }

const integration: AnyIntegration = {
  settings: ownSettings,
  systems: ({ settings }: Given<typeof ownSettings>) => ({ ehr: fhirEhr(settings), pharmacy: pharmacyFrom(settings) }),
  handlers: [...shippedHandlers, outreachToEhr, ...handlers],
}
// eslint-disable-next-line import/no-default-export -- as every integration is exported
export default integration
