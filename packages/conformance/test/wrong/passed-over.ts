import { defineHandler } from '../../../../src/index.ts'
import { draftOf } from '../../../../templates/draft-of.ts'
import { beside, hook, send, tell } from '../own-handlers.ts'

/** Handlers that pass over a failure, an item, a word or a state, by the name of their fault. */
export const passingOverHandlers = {
  'does not look at the answer': beside(async ({ resource, once }) => {
    if (resource.status !== 'completed') return
    await once('ended', async () => {
      await send('POST', hook, { text: `${resource.id} has ended` })
    })
  }),

  'remembers before it posts': beside(async ({ resource, memory }) => {
    if (resource.status !== 'completed') return
    const key = `told ${resource.id}`
    if ((await memory.read(key)) !== undefined) return
    await memory.write(key, 'done')
    await tell('POST', hook, { text: `${resource.id} has ended` })
  }),

  'swallows the error of its note': beside(async ({ resource, ehr }) => {
    if (resource.status !== 'completed') return
    await ehr.putNote(resource, { key: 'end', title: 'Ended', text: 'It has ended.' }).catch(() => undefined)
  }),

  'verifies benefits on every run': beside(async ({ resource, api }) => {
    if (resource.status !== 'processing') return
    const drugs = [{ name: resource.prescription?.drug_name, dosage: '10 mg', quantity: 4 }]
    // The compiler cannot see that a PA has all that a BV needs.
    await api.createBenefitVerification({ ...draftOf(resource), drugs } as never)
  }),

  'takes a failed read for absence': beside(async ({ resource }) => {
    const place = `https://records.example/cases/${resource.id}`
    const known = await send('GET', place)
    if (!known.ok) await tell('POST', 'https://records.example/welcomes', { about: resource.id, at: resource.status })
    await tell('PUT', place, { status: resource.status })
  }),

  'posts of one word for an approval': beside(async ({ resource, once }) => {
    if (resource.status !== 'completed' || resource.outcome?.result !== 'Approved') return
    await once('approved', () => tell('POST', hook, { text: `${resource.id} is approved` }))
  }),

  'posts the newest message alone': beside(async ({ changes, once }) => {
    const message = changes.newMessages.at(-1)
    if (message !== undefined)
      await once(message.id, () => tell('POST', hook, { key: message.id, text: message.content }))
  }),

  'leaves its own task open': beside(async ({ resource, ehr }) => {
    const task = { key: 'own', reason: 'awaiting_review', title: 'Review it' }
    if (resource.status === 'awaiting_review') await ehr.openStaffTask(resource, task)
    else if (resource.status === 'awaiting_outcome') await ehr.closeStaffTask(resource, 'completed', 'own')
  }),

  'notes the states that it knows': beside(async ({ resource, ehr }) => {
    const known: readonly string[] = ['processing', 'awaiting_review', 'awaiting_outcome', 'completed']
    if (!known.includes(resource.status)) return
    await ehr.putNote(resource, { key: 'state', title: 'State', text: `It is ${resource.status}.` })
  }),

  'records a transfer with the status alone': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.status_change', 'prior_authorization.prescription_transfer_change'],
    async handle({ resource, changes }) {
      if (changes.status === undefined) return
      const { id, status, prescription_transfer: transfer } = resource
      await tell('PUT', `https://records.example/cases/${id}`, { status, transfer: transfer?.status })
    },
  }),

  'prints a birth date in the way of its country': beside(async ({ resource }) => {
    const [year, month, day] = String(resource.patient?.date_of_birth).split('-')
    process.stdout.write(`Born on ${month}/${day}/${year}\n`)
    await Promise.resolve()
  }),

  'leaves out the notes of calls': defineHandler({
    name: 'letters-and-faxes-to-ehr',
    on: ['prior_authorization.activity_log_updated', 'prior_authorization.status_change'],
    async handle({ resource, api, ehr, signal }) {
      for (const { id = '', type, details, created_at: at } of resource.activity_log ?? []) {
        const kind = type === 'sent_fax' ? 'fax_sent' : 'fax_received'
        if (type === 'follow_up_call') await ehr.putNote(resource, { key: id, title: 'Call', text: `Call ${id}`, at })
        else if (details?.url !== undefined) {
          const { content, contentType } = await api.downloadFile(details.url, { signal })
          await ehr.putFile(resource, { kind, title: 'Fax', key: id, at, contentType, content })
        }
      }
    },
  }),

  'leaves out why a transfer failed': defineHandler({
    name: 'prescription-transfer-to-ehr',
    on: ['prior_authorization.prescription_transfer_change', 'prior_authorization.status_change'],
    async handle({ resource, ehr }) {
      const { prescription_transfer: transfer } = resource
      if (transfer === undefined) return
      const { error_code: _code, ...told } = transfer
      await ehr.putPrescriptionTransfer({ ...resource, prescription_transfer: told })
    },
  }),
}
