import { setTimeout as sleep } from 'node:timers/promises'
import { defineHandler, type HandlerContext, PawlError, type PriorAuthorization } from '../../../../src/index.ts'
import { Sqlite } from '../../../base/src/sqlite.ts'
import { sealContext } from '../../../ledger/src/sealing/seal-context.ts'
import { createSeal } from '../../../ledger/src/sealing/seal.ts'
import { PriorAuthorization as PriorAuthorizationSchema } from '../../../client/src/schemas/prior-authorization.ts'
import { rawChart, tellPharmacy } from './raw-systems.ts'

const on = ['prior_authorization.status_change', 'prior_authorization.message'] as const
const onTransfer = ['prior_authorization.prescription_transfer_change', 'prior_authorization.status_change'] as const
type Context = HandlerContext<(typeof on)[number]>
type TransferContext = HandlerContext<(typeof onTransfer)[number]>

const toEhr = (handle: (context: Context) => Promise<void>) =>
  defineHandler({ name: 'prior-authorization-to-ehr', on, handle })
const toPharmacy = (handle: (context: TransferContext) => Promise<void>) =>
  defineHandler({ name: 'prescription-transfer-to-pharmacy', on: onTransfer, handle })

/** As it should be. */
async function keep({ resource, changes, ehr }: Context): Promise<void> {
  await ehr.putPriorAuthorization(resource)
  for (const message of changes.newMessages) await ehr.putMessage(resource, message)
}

class Careless extends PawlError {
  readonly code = 'careless'
  override readonly retry = 'backoff'
}

/** The body of the webhook that came last. */
function newestPayload({ settings, resource }: Context): PriorAuthorization {
  const database = new Sqlite(settings.DATABASE_URL.slice('file:'.length), { readonly: true })
  try {
    const question =
      "select fingerprint, body from events where resource_id = ? and source = 'webhook' order by id desc limit 1"
    // Both columns hold bytes.
    const { fingerprint, body } = database.prepare(question).get(resource.id) as { fingerprint: Buffer; body: Buffer }
    const seal = createSeal((settings.SEALING_KEYS ?? []).map((key) => Buffer.from(key, 'base64')))
    // The service sends an envelope.
    const { data } = JSON.parse(
      Buffer.from(seal.open(body, sealContext.body(resource.id, fingerprint))).toString(),
    ) as {
      data: unknown
    }
    return PriorAuthorizationSchema.parse(data)
  } finally {
    database.close()
  }
}

function transferOf({ id, prescription_transfer: transfer }: PriorAuthorization): object | undefined {
  if (transfer === undefined) return undefined
  const { status, confirmed, transfer_attempts } = transfer
  return { prior_authorization_id: id, status, confirmed, transfer_attempts }
}

/** CPU time of this process; asking for it is mostly time of the system. */
function usedUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

const bornAt = Date.now()
const told = new Map<string, string>()
let blocked = false
let named = false

const titles: Record<string, string> = {
  created: 'New',
  processing: 'In work',
  awaiting_outcome: 'Waits',
  validating_outcome: 'Checked',
  awaiting_review: 'Review',
  awaiting_provider_response: 'Answer',
  completed: 'Done',
  failed: 'Failed',
  not_submitted: 'Not sent',
  cancelled: 'Cancelled',
}

/** Handlers that are wrong, each in its own way, by the name of their fault. Where one has the name of a shipped handler, it takes its place. */
export const plainlyWrongHandlers = {
  'writes the payload': toEhr(async (context) => {
    await keep({ ...context, resource: newestPayload(context) })
  }),

  'is not idempotent': toEhr(async (context) => {
    const { resource, ehr, settings } = context
    await ehr.putPriorAuthorization(resource)
    for (const { content } of resource.message_thread?.messages ?? [])
      await rawChart(settings).send('POST', 'Communication', {
        resourceType: 'Communication',
        status: 'completed',
        payload: [{ contentString: content ?? '' }],
      })
  }),

  'swallows errors': toEhr(async (context) => {
    await keep(context).catch(() => undefined)
  }),

  'keeps state in memory': toPharmacy(async ({ resource, settings }) => {
    const data = transferOf(resource)
    if (data === undefined || told.get(resource.id) === JSON.stringify(data)) return
    const id = `msg_${resource.id}_${bornAt}_${JSON.stringify(data).length}`
    await tellPharmacy(settings, data, { id, sequence: Date.now() })
    told.set(resource.id, JSON.stringify(data))
  }),

  'logs a name': toEhr(async (context) => {
    process.stdout.write(`Updated ${String(context.resource.patient?.last_name)}\n`)
    await keep(context)
  }),

  'names a patient in an error': toEhr(async (context) => {
    if (!named) {
      named = true
      throw new Careless(`No chart is known of ${String(context.resource.patient?.last_name)}.`)
    }
    await keep(context)
  }),

  'ignores the signal': toPharmacy(async ({ resource, settings }) => {
    const data = transferOf(resource)
    if (data === undefined) return
    await sleep(700)
    const sequence = resource.prescription_transfer?.transfer_attempts?.length ?? 0
    await tellPharmacy(settings, data, { id: `msg_${resource.id}_${JSON.stringify(data).length}`, sequence })
  }),

  'updates by search without checking': toEhr(async (context) => {
    const { resource, settings } = context
    await keep(context)
    const chart = rawChart(settings)
    const task = await chart.find('Task', 'prior-authorization', resource.id)
    if (task !== undefined)
      await chart.send('PUT', `Task/${task.id}`, { ...task, description: `PA ${resource.status}` })
  }),

  'overwrites what staff wrote': toEhr(async (context) => {
    const { resource, settings } = context
    await keep(context)
    const chart = rawChart(settings)
    const task = await chart.find('Task', 'prior-authorization', resource.id)
    if (task === undefined || task.identifier === undefined || !JSON.stringify(task).includes(resource.id)) return
    const { note: _note, owner: _owner, meta: _meta, ...own } = task
    await chart.send('PUT', `Task/${task.id}`, { ...own, description: `PA ${resource.status}` })
  }),

  'relies on order': toEhr(async (context) => {
    const sequence = ['created', 'processing', 'awaiting_outcome', 'completed'] as const
    const events = Number(told.get(context.resource.id) ?? '0') + context.events.length
    told.set(context.resource.id, String(events))
    const status = sequence[Math.min(events, sequence.length) - 1] ?? context.resource.status
    await context.ehr.putPriorAuthorization({ ...context.resource, status })
  }),

  'never closes its task': defineHandler({
    name: 'staff-task-for-prior-authorization',
    on: ['prior_authorization.status_change'],
    async handle({ resource, ehr }) {
      if (resource.status !== 'awaiting_review') return
      await ehr.openStaffTask(resource, { reason: 'awaiting_review', title: 'Review a prior authorization' })
    },
  }),

  'sends on every run': toPharmacy(async ({ resource, settings }) => {
    const data = transferOf(resource)
    const sequence = Date.now()
    if (data !== undefined) await tellPharmacy(settings, data, { sequence })
  }),

  'blocks the loop': toEhr(async (context) => {
    const isFirst = context.resource.status === 'awaiting_review' && !blocked
    blocked ||= isFirst
    const until = usedUs() + (isFirst ? 2_500_000 : 0)
    while (usedUs() < until);
    await keep(context)
  }),

  'asks the service again and again': toEhr(async (context) => {
    for (let count = 0; count < 20; count += 1) await context.api.getPriorAuthorization(context.resource.id)
    await keep(context)
  }),

  'goes around the rate limit': toEhr(async (context) => {
    const { API_BASE_URL: base = '', API_TOKEN: token = '' } = context.settings
    const headers = { authorization: `Bearer ${token}` }
    const isNew = context.resource.status === 'awaiting_review' && context.previous?.status !== 'awaiting_review'
    const times = isNew ? 5 : 0
    for (let count = 0; count < times; count += 1) {
      const answer = await fetch(`${base}/prior-authorization/${context.resource.id}`, { headers })
      await answer.arrayBuffer()
      await sleep(250)
    }
    await keep(context)
  }),

  'fails on unknown values': toEhr(async (context) => {
    const title = titles[context.resource.status]
    if (title === undefined) throw new TypeError('There is no title.')
    await keep(context)
  }),

  'leaves an error uncaught': toEhr(async (context) => {
    const { memory, resource } = context
    if ((await memory.read('threw')) === undefined && resource.status === 'awaiting_outcome') {
      await memory.write('threw', 'yes')
      setTimeout(() => {
        throw new Error('Nobody catches this.')
      }, 10)
    }
    await keep(context)
  }),

  'deletes what it finds': toEhr(async (context) => {
    const { resource, settings } = context
    await keep(context)
    const chart = rawChart(settings)
    const task = await chart.find('Task', 'prior-authorization-staff-task', resource.id)
    if (resource.status === 'completed' && task !== undefined) await chart.send('DELETE', `Task/${task.id}`)
  }),
}
