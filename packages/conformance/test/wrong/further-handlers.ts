import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineHandler, type PriorAuthorization } from '../../../../src/index.ts'
import { beside, type Context, hook, on, tell } from '../own-handlers.ts'

const toEhr = (handle: (context: Context) => Promise<void>) =>
  defineHandler({ name: 'prior-authorization-to-ehr', on: ['prior_authorization.status_change'], handle })
const messagesToEhr = (handle: (context: Context) => Promise<void>) =>
  defineHandler({ name: 'messages-to-ehr', on, handle })
/** The journal of the wrong integration, a system without HTTP. */
interface Journal {
  add(line: object): Promise<void>
  put(name: string, line: object): Promise<void>
}

/** The compiler does not know of it, as the integration of this checkout has none. */
const journalOf = (context: Context) => (context as unknown as { journal: Journal }).journal

let firstPatient: PriorAuthorization['patient']
let temporaryFiles = 0

/** More handlers that are wrong, by the name of their fault. */
export const furtherHandlers = {
  'knows one word for an approval': toEhr(async ({ resource, ehr }) => {
    if (resource.status === 'completed' && resource.outcome?.result === 'Approval') return
    await ehr.putPriorAuthorization(resource)
  }),

  'keys what it does by the status': toEhr(async ({ resource, ehr, once }) => {
    await once(resource.status, () => ehr.putPriorAuthorization(resource))
  }),

  'writes the first state alone': toEhr(async ({ resource, previous, ehr }) => {
    if (previous === undefined) await ehr.putPriorAuthorization(resource)
  }),

  'names too few of the fields that it reads': {
    ...toEhr(async ({ resource, ehr }) => ehr.putPriorAuthorization(resource)),
    reads: ['outcome'] as const,
  },

  'writes before it cancels': toEhr(async ({ resource, events, ehr, api }) => {
    if (events.length > 0 && events.every(({ isEcho }) => isEcho)) return
    await ehr.putPriorAuthorization(resource)
    if (resource.status === 'awaiting_review') await api.cancelPriorAuthorization(resource.id, 'It takes too long.')
  }),

  'does not wait': toEhr(async ({ resource, ehr }) => {
    ehr.putPriorAuthorization(resource).catch(() => undefined)
    await Promise.resolve()
  }),

  'has a clock in its note': beside(async ({ resource, ehr }) => {
    await ehr.putNote(resource, { key: 'seen', title: 'Seen', text: `Seen at ${Date.now()}` })
  }),

  'keeps the first patient': toEhr(async ({ resource, ehr }) => {
    firstPatient ??= resource.patient
    await ehr.putPriorAuthorization({ ...resource, patient: firstPatient })
  }),

  'files no attachment': messagesToEhr(async ({ resource, changes, ehr }) => {
    for (const message of changes.newMessages) await ehr.putMessage(resource, message, [])
  }),

  'sends everything at once': messagesToEhr(async ({ resource, changes, ehr }) => {
    await Promise.all(changes.newMessages.map((message) => ehr.putMessage(resource, message, [])))
  }),

  'takes the first drug alone': defineHandler({
    name: 'benefit-verification-to-ehr',
    on: ['benefit_verification.status_change'],
    async handle({ resource, ehr }) {
      await ehr.putBenefitVerification({ ...resource, drugs: resource.drugs?.slice(0, 1) })
    },
  }),

  'leaves a timer': beside(async ({ resource }) => {
    setInterval(() => resource.id, 60_000).unref()
    await Promise.resolve()
  }),

  'leaves a temporary file': beside(async ({ resource }) => {
    temporaryFiles += 1
    await writeFile(join(tmpdir(), `draft-${temporaryFiles}.txt`), resource.id)
  }),

  'keys what it does by the name of the patient': beside(async ({ resource, once }) => {
    await once(`greeted ${String(resource.patient?.last_name)}`, () => Promise.resolve())
  }),

  'posts without waiting': beside(async ({ resource, once }) => {
    await once(resource.status, () => {
      tell('POST', hook, { key: resource.status, text: resource.id }).catch(() => undefined)
      return Promise.resolve()
    })
  }),

  'posts on every run': beside(async ({ resource }) => {
    await tell('POST', hook, { text: `${resource.id} is ${resource.status}` })
  }),

  'keeps one record for a patient': beside(async ({ resource, digest }) => {
    const record = digest(String(resource.patient?.internal_id))
    await tell('PUT', `https://records.example/patients/${record}`, { status: resource.status, id: resource.id })
  }),

  'adds to a journal on every run': beside(async (context) => {
    await journalOf(context).add({ id: context.resource.id, status: context.resource.status })
  }),

  'has chance in what it puts': beside(async (context) => {
    await journalOf(context).put(context.resource.id, { status: context.resource.status, mark: Math.random() })
  }),
}
