import { defineHandler } from '../../../../src/index.ts'
import { beside, type Context, hook, tell } from '../own-handlers.ts'
import { rawChart } from './raw-systems.ts'

/** The record of a case in an own system. */
const putRecord = (id: string, status: string) => tell('PUT', `https://records.example/cases/${id}`, { status })

const recorded = new Set<string>()
let lastDrug: string | undefined
let lastMessage: string | undefined

/** A flag of its own on the patient of the PA. */
function flagOf({ resource }: Context, task: object, names: string) {
  const identifier = [{ system: `${names}/own-flag`, value: resource.id }]
  return {
    resourceType: 'Flag',
    identifier,
    status: ['completed', 'failed', 'not_submitted', 'cancelled'].includes(resource.status) ? 'inactive' : 'active',
    code: { text: `PA ${resource.status}` },
    subject: 'for' in task ? task.for : undefined,
  }
}

/** Creates the flag, or changes it by `change`. */
async function keepFlag(
  context: Context,
  change: (chart: ReturnType<typeof rawChart>, held: { id: string }, flag: object) => Promise<unknown>,
): Promise<void> {
  const { resource, settings, ehr } = context
  await ehr.putPriorAuthorization(resource)
  const chart = rawChart(settings)
  const task = await chart.find('Task', 'prior-authorization', resource.id)
  // The search may have found the task of another system.
  if (task === undefined || !JSON.stringify(task).includes(resource.id)) return
  const flag = flagOf(context, task, settings.FHIR_IDENTIFIER_BASE.replace(/\/+$/, ''))
  const held = await chart.find('Flag', 'own-flag', resource.id)
  if (held === undefined) await chart.send('POST', 'Flag', flag)
  else if (!JSON.stringify(held).includes(flag.code.text)) await change(chart, held, flag)
}

const flagging = (change: Parameters<typeof keepFlag>[1]) =>
  defineHandler({
    name: 'prior-authorization-to-ehr',
    on: ['prior_authorization.status_change'],
    handle: (context) => keepFlag(context, change),
  })

/** Handlers that are wrong when a status comes again, when staff write at the same time, in what they leave to an own system, or in whose data they send. */
export const secondVisitHandlers = {
  'opens its task the first time alone': beside(async ({ resource, ehr, once }) => {
    const task = { key: 'own', reason: 'asked', title: 'Answer the payer' }
    if (resource.status === 'awaiting_provider_response') await once('asked', () => ehr.openStaffTask(resource, task))
    else await ehr.closeStaffTask(resource, 'completed', 'own')
  }),

  'posts once for each status': beside(async ({ resource, once }) => {
    const { id, status } = resource
    await once(`told ${status}`, () => tell('POST', hook, { text: `${id} is ${status}` }))
  }),

  'remembers for good whom it asked': beside(async ({ resource, memory }) => {
    if (resource.status !== 'validating_outcome') return
    const key = `checked ${resource.id}`
    if ((await memory.read(key)) !== undefined) return
    await tell('POST', hook, { key, text: `${resource.id} is checked` })
    await memory.write(key, 'done')
  }),

  'puts a flag as it was read': flagging(async (chart, held, flag) =>
    chart.send('PUT', `Flag/${held.id}`, { ...held, ...flag }),
  ),

  'puts a flag over a conflict': flagging(async (chart, held, flag) => {
    const path = `Flag/${held.id}`
    await chart
      .send('PUT', path, { ...held, ...flag }, { 'if-match': 'W/"none"' })
      .catch(() => chart.send('PUT', path, { ...held, ...flag }))
  }),

  'records the first state alone': beside(async ({ resource, previous }) => {
    if (previous === undefined) await putRecord(resource.id, resource.status)
  }),

  'gives up when its record is refused': beside(async ({ resource }) => {
    await putRecord(resource.id, resource.status).catch(() => undefined)
  }),

  'records each status once': beside(async ({ resource }) => {
    const key = `${resource.id} ${resource.status}`
    if (recorded.has(key)) return
    await putRecord(resource.id, resource.status)
    recorded.add(key)
  }),

  'notes the drug of the case before': beside(async ({ resource, ehr }) => {
    const drug = lastDrug ?? resource.prescription?.drug_name
    lastDrug = resource.prescription?.drug_name
    if (resource.status === 'processing')
      await ehr.putNote(resource, { key: 'drug', title: 'Drug', text: `About ${String(drug)}` })
  }),

  'posts the message of the case before': beside(async ({ resource, changes, once }) => {
    for (const { id, content } of changes.newMessages) {
      const text = lastMessage ?? content
      lastMessage = content
      await once(id, () => tell('POST', `https://chat.example/cases/${resource.id}`, { key: id, text }))
    }
  }),
}
