import {
  type BenefitVerification,
  defineHandler,
  FileExpired,
  type HandlerContext,
  isApproved,
} from '../../../../src/index.ts'
import { hook, tell } from '../own-handlers.ts'

const on = ['prior_authorization.status_change', 'prior_authorization.prescription_transfer_change'] as const
type Context = HandlerContext<(typeof on)[number]>

/** Beside the shipped handlers. */
const beside = (handle: (context: Context) => Promise<void>) => defineHandler({ name: 'own-handler', on, handle })

const dayInNewYork = (day: string | undefined) =>
  new Date(day ?? '').toLocaleDateString('en-US', { timeZone: 'America/New_York' })

/** Handlers that do not heed what the service may answer, or what belongs together, by the name of their fault. */
export const unreadAnswerHandlers = {
  'posts each state under its name': beside(async ({ resource: { id, status } }) =>
    tell('POST', hook, { text: `${id} is ${status}` }, `${id} ${status}`),
  ),

  'writes days in its own zone': beside(async ({ resource, ehr }) => {
    const { outcome } = resource
    if (outcome?.authorization_expiration === undefined) return
    const text = `From ${dayInNewYork(outcome.authorization_start_date)} to ${dayInNewYork(outcome.authorization_expiration)}.`
    await ehr.putNote(resource, { key: 'period', title: 'Period', text })
  }),

  'takes the id of a pharmacy for a number': beside(async ({ resource }) => {
    const { id, ndp_submission: submission } = resource
    if (submission?.preferred_pharmacy_ncpdp_id === undefined) return
    await tell('PUT', `https://hub.example/${id}`, { pharmacy: Number(submission.preferred_pharmacy_ncpdp_id) })
  }),

  'throws at an error that it does not know': beside(async ({ resource }) => {
    const code: string = resource.prescription_transfer?.error_code ?? 'other'
    if (code === 'sandbox_unheard_of') throw new Error('There is no such error.')
    await Promise.resolve()
  }),

  'needs the last day of an approval': beside(async ({ resource: { status, outcome } }) => {
    if (status === 'completed' && outcome?.detail_code === 'approval' && isApproved(outcome))
      new Date(outcome.authorization_expiration ?? '').toISOString()
    await Promise.resolve()
  }),

  'authorizes a prescriber for each PA': beside(async ({ resource, api, once }) => {
    const { npi = '', first_name = '', last_name = '', email } = resource.provider ?? {}
    if (email !== undefined) await once('ask', () => api.authorizeProvider({ npi, first_name, last_name, email }))
  }),

  'lists each drug once': defineHandler({
    name: 'benefit-verification-to-ehr',
    on: ['benefit_verification.status_change'],
    async handle({ resource, ehr }) {
      const drugs = new Map((resource.drugs ?? []).map((drug) => [drug.name ?? drug.ndc, drug]))
      const told: BenefitVerification = { ...resource, drugs: [...drugs.values()] }
      await ehr.putBenefitVerification(told)
    },
  }),

  'skips a thread that is resolved': defineHandler({
    name: 'messages-to-ehr',
    on: ['prior_authorization.message', 'prior_authorization.status_change'],
    async handle({ resource, changes, ehr }) {
      if (resource.message_thread?.is_resolved === true) return
      for (const message of changes.newMessages) await ehr.putMessage(resource, { ...message, attachments: [] }, [])
    },
  }),

  'gives up a file whose address has expired': defineHandler({
    name: 'messages-to-ehr',
    on: ['prior_authorization.message', 'prior_authorization.status_change'],
    async handle({ resource, changes, api, ehr, signal }) {
      for (const message of changes.newMessages) {
        const files = []
        for (const { id = '', file_name: title = 'File', url } of message.attachments ?? [])
          try {
            const file = await api.downloadFile(url ?? '', { signal })
            files.push({
              ...file,
              key: `${message.id}/${id}`,
              kind: 'attachment' as const,
              title,
              at: message.timestamp,
            })
          } catch (error) {
            if (!(error instanceof FileExpired)) throw error
          }
        await ehr.putMessage(resource, message, files)
      }
    },
  }),
}
