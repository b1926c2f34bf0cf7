import type { RequestDraft } from '../../client/src/schemas/request-draft.ts'
import { stampOf } from '../../base/src/stamp.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineHandler, PawlError } from '../../../src/index.ts'
import type { RunContext } from '../../connector/src/system.ts'
import { Sqlite } from '../../base/src/sqlite.ts'
import { createAdminClient } from '../src/commands/admin-client.ts'
import { routeRules } from '../src/access/route-rules.ts'
import { contract } from '../src/contract/contract.ts'
import { commonErrors, ErrorAnswer, type ErrorCode, errorStatuses, type Route } from '../src/contract/route.ts'
import { openApiParser } from '../../../test/foreign/openapi-parser.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'

type RouteName = keyof typeof contract
interface Sent {
  id?: string
  query?: Record<string, string>
  body?: object
}

const patient = { internal_id: 'internal-1' }
const reason = 'a request of the patient'
/** A synced one, two that fail each in its way, and one that waits for people. */
const ids = ['pa_req_1', 'pa_req_parked', 'pa_req_failing', 'pa_req_review'] as const
const [id] = ids

class Failed extends PawlError {
  readonly code = 'failed_for_test'
  override readonly retry

  constructor(retry: PawlError['retry']) {
    super('The test fails it.')
    this.retry = retry
  }
}

/** Every prescription of the chart. */
const draft = {
  isComplete: true,
  request: { patient: { internal_id: '1' } },
  missing: [] as const,
  leftOut: [{ field: 'diagnoses', from: 'MedicationRequest.reasonCode', why: 'absent', says: 'the chart has none' }],
} satisfies RequestDraft
const started = { kind: 'prior_authorization', prescription: 'order-1' }

let gateway: LocalGateway

beforeAll(async () => {
  const service = createScriptedApi({ patient })
  service.set({ id, status: 'a_new_status' })
  service.set({ id: 'pa_req_review', status: 'awaiting_review' })
  const handler = defineHandler({
    name: 'h',
    on: ['prior_authorization.status_change'],
    async handle(context) {
      const { resource } = context
      // The integration of this test has the system.
      if (resource.id === id) await (context as unknown as { desk: { leave(): Promise<void> } }).desk.leave()
      if (resource.id === 'pa_req_parked') throw new Failed('never')
      if (resource.id === 'pa_req_failing') throw new Failed({ afterMs: 600_000 })
    },
  })
  const leave = async ({ leftOut, memory }: RunContext) => {
    leftOut({ type: 'file/letter/1', reason: 'too large' })
    await memory.write('told', { id: '1', digest: 'a' })
  }
  const held = { type: 'Task', id: '1', is: 'missing', what: 'prior-authorization', role: 'Task 1' } as const
  const systems = {
    ehr: {
      open: () => ({}),
      takes: async () => ['Task'],
      draft: async () => draft,
      verify: async () => ({ records: [held], unsearched: ['Coverage'] }),
      mend: async () => 'left' as const,
    },
    desk: { open: (run: RunContext) => ({ leave: () => leave(run) }), noticeRole: 'told' },
  }
  Object.assign(service.api, { createPriorAuthorization: async () => ({ id: 'pa_req_started' }) })
  gateway = await startLocalGateway(
    { api: service.api, handlers: [handler], systems, log: captureLog().log },
    {
      SEALING_KEYS: Buffer.alloc(32, 7).toString('base64'),
      ALERT_URL: 'http://127.0.0.1:9/',
      ALERT_INTERVAL_MS: '50',
    },
  )
  for (const each of ids) await deliver(gateway.url, envelope({ id: each }))
  await deliver(gateway.url, envelope({ id }), { token: 'not-a-token' })
  await gateway.ledger.pause({ kind: 'handler', name: 'gone' }, { actor: { name: 'test', via: 'process' }, reason })
  await gateway.ledger.noteOutage('ehr', 3_600_000)
  await until('it has heard', async () => {
    // As the contract says.
    const { away } = (await send(contract.readiness, {})).json as { away: unknown[] }
    return away.length > 0
  })
  const seen = async () => {
    const [{ rows: work }, open, queue, refused, files] = await Promise.all([
      gateway.ledger.work({}, 10),
      gateway.ledger.openAlerts(),
      gateway.ledger.waitingForPeople(10),
      gateway.ledger.refused(60_000),
      gateway.ledger.leftOutFiles(0, 10),
    ])
    const isSeen = [open, queue.rows, refused, files].every((each) => each.length > 0)
    return work.length === 2 && isSeen
  }
  await until('there is something to tell', seen)
  const database = new Sqlite(gateway.databasePath)
  database.exec("update audit_head set hash = 'another'")
  database.close()
  await gateway.ledger.audit({ actor: { name: 'olga', via: 'command' }, action: 'audit.view' })
  Object.assign(breakSeen, { row: (await gateway.ledger.auditState()).lastBreak?.id })
})
afterAll(() => gateway.destroy())

async function send({ method, path }: Route, { id: of = '', query = {}, body = {} }: Sent) {
  const address = new URL(path.replace(':id', of), gateway.adminUrl)
  address.search = new URLSearchParams(query).toString()
  const post = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(address, method === 'post' ? post : {})
  return { status: response.status, json: (await response.json()) as unknown }
}

/** The open break of the trail; its row is known once there is one. */
const breakSeen = { row: NaN, reason }

/** A request of each route that is granted, in this order. */
const granted: Record<RouteName, Sent> = {
  readiness: {},
  status: {},
  handlers: {},
  alerts: {},
  alertHistory: { query: { limit: '1' } },
  testAlerts: {},
  parked: {},
  due: { query: { handler: 'h' } },
  retry: { body: { all: true, dry_run: true } },
  discard: { body: { all: true, reason, dry_run: true } },
  pause: { body: { name: 'h', reason } },
  resume: { body: { name: 'h' } },
  probe: { body: { system: 'ehr' } },
  events: { query: { limit: '2' } },
  event: { id: '1' },
  resources: { query: { limit: '2' } },
  resource: { id },
  story: { id: 'pa_req_parked', query: { limit: '2' } },
  find: { body: { value: patient.internal_id, fields: ['internal_id'] } },
  reveal: { id, body: { reason } },
  verify: { id, body: { mend: true } },
  workQueue: {},
  fileDone: { body: { resource: id, system: 'desk', file: 'letter/1' } },
  sync: { body: { resources: [id] } },
  resend: { body: { resources: [id] } },
  reconcile: { body: { since: '2026-01-01T00:00:00Z' } },
  cancelReconcile: {},
  findPatient: { body: { ...patient, reason } },
  erasePatient: { body: { ...patient, reason, resource_id: 'pa_req_review' } },
  wipe: {},
  forgetPatient: { body: { patient: patient.internal_id } },
  audit: { query: { limit: '2' } },
  auditVerdict: {},
  auditAcknowledge: { body: breakSeen },
  report: { query: { by: 'payer' } },
  draftRequest: { body: started },
  startRequest: { body: { ...started, stamp: stampOf(draft) } },
  rotateKeys: { body: {} },
  purgeLedger: { body: { dry_run: true } },
  backfill: { body: { system: 'ehr' } },
  openApi: {},
}

const refused: [RouteName, Sent, ErrorCode][] = [
  ['parked', { query: { limit: '0' } }, 'bad_request'],
  ['due', { query: { handler: 'gone' } }, 'unknown_handler'],
  ['retry', { body: {} }, 'bad_request'],
  ['retry', { body: { resource: 'pa_req_none' } }, 'unknown_resource'],
  ['retry', { body: { system: 'gone' } }, 'unknown_system'],
  ['retry', { body: { error: 'gone' } }, 'unknown_error'],
  ['retry', { body: { all: true, amend: {} } }, 'bad_request'],
  ['retry', { body: { resource: 'pa_req_parked', amend: {} } }, 'not_amended'],
  ['discard', { body: { resource: id, handler: 'h', reason } }, 'nothing_to_discard'],
  ['pause', { body: { name: 'gone' } }, 'unknown_name'],
  ['pause', { body: { name: 'h', reason: ' x ' } }, 'bad_request'],
  ['resume', { body: { name: 'h' } }, 'not_paused'],
  ['probe', { body: { system: 'gone' } }, 'unknown_system'],
  ['probe', { body: { system: 'api' } }, 'not_away'],
  ['events', { query: { since: 'yesterday' } }, 'bad_request'],
  ['event', { id: 'x' }, 'unknown_event'],
  ['resources', { query: { after: 'x' } }, 'bad_request'],
  ['resource', { id: 'pa_req_none' }, 'not_found'],
  ['story', { id: 'pa_req_none' }, 'unknown_resource'],
  ['story', { id, query: { before: 'x' } }, 'bad_request'],
  ['reveal', { id, body: {} }, 'no_reason'],
  ['reveal', { id: 'pa_req_none', body: { reason } }, 'unknown'],
  ['verify', { id: 'pa_req_none' }, 'unknown_resource'],
  ['verify', { id, body: { mend: 'yes' } }, 'bad_request'],
  ['workQueue', { query: { after: 'x' } }, 'bad_request'],
  ['workQueue', { query: { team: 'none' } }, 'bad_request'],
  ['fileDone', { body: { resource: id } }, 'bad_request'],
  ['fileDone', { body: { resource: id, system: 'desk', file: 'letter/2' } }, 'nothing'],
  ['sync', { body: { resources: ['no name'] } }, 'sync_refused'],
  ['resend', { body: { resources: [] } }, 'bad_request'],
  ['reconcile', { body: { since: '2999-01-01T00:00:00Z' } }, 'bad_request'],
  ['erasePatient', { body: { ...patient, reason, resource_id: 'pa_req_none' } }, 'unknown_resource'],
  ['auditVerdict', { query: { id: '1' } }, 'bad_request'],
  ['auditAcknowledge', { body: {} }, 'no_reason'],
  ['auditAcknowledge', { body: { row: 1, reason } }, 'nothing'],
  ['report', { query: { from: 'x' } }, 'bad_request'],
  ['draftRequest', { body: { ...started, prescription: 'no id/' } }, 'bad_request'],
  ['draftRequest', { body: { ...started, prescription: '.' } }, 'bad_request'],
  ['draftRequest', { body: { ...started, prescription: '..' } }, 'bad_request'],
  ['startRequest', { body: { ...started, stamp: '' } }, 'already_started'],
  ['startRequest', { body: { ...started, prescription: 'order-2', stamp: '' } }, 'changed'],
  ['backfill', { body: { system: 'gone' } }, 'bad_request'],
]

describe('the contract of the admin API', () => {
  it.each(Object.entries(granted))('tells all that %s answers', async (name, sent) => {
    // The keys are those of the contract.
    const route: Route = contract[name as RouteName]
    const { status, json } = await send(route, sent)
    expect({ status, json }).toEqual({ status: 200, json: route.answer.parse(json) })
    // A list that is empty would show nothing of its items.
    const lists = Object.entries(json ?? {}).filter(([key, value]) => Array.isArray(value) && !mayBeEmpty.includes(key))
    for (const [key, value] of lists) expect(value, key).not.toEqual([])
  })

  it.each(refused)('tells the refusal of %s with %o: %s', async (name, sent, code) => {
    const route: Route = contract[name]
    const { status, json } = await send(route, sent)
    expect({ status, json }).toEqual({ status: errorStatuses[code], json: ErrorAnswer.parse(json) })
    expect(json).toMatchObject({ error: { code } })
    expect([route.invalidCode ?? 'bad_request', ...(route.errors ?? []), ...commonErrors]).toContain(code)
  })

  it('is what commands call: a parsed answer, or the words of the refusal', async () => {
    const ask = createAdminClient(() => ({ url: gateway.adminUrl, password: undefined }))
    expect((await ask(contract.resource, { id })).kind).toBe('prior_authorization')
    await expect(ask(contract.event, { id: 'x' })).rejects.toThrow('The ledger has no event of this number')
    // @ts-expect-error The path has an id.
    await expect(ask(contract.resource)).rejects.toThrow()
    // @ts-expect-error The state is misspelt.
    await expect(ask(contract.resources, { query: { state: 'parkd' } })).rejects.toThrow('state')
  })
})

describe('GET /api/openapi.json', () => {
  it.skipIf(openApiParser === undefined)('passes the validator', async () => {
    const { json } = await send(contract.openApi, {})
    expect(await openApiParser?.validate(json as object)).toMatchObject({ valid: true, warnings: [] })
  })

  it('tells every JSON route that there is, and no other', async () => {
    const { json } = await send(contract.openApi, {})
    const { paths } = json as { paths: Record<string, object> }
    const told = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    // Express serves exactly the routes that the rules of access list: access.test.ts.
    const served = routeRules.filter(({ path }) => path.startsWith('/api/') || path === '/readyz')
    expect(told.toSorted()).toEqual(
      served.map(({ method, path }) => `${method} ${path.replace(':id', '{id}')}`).toSorted(),
    )
  })
})

/** Lists that are empty while all is well. */
const mayBeEmpty = [
  'missing',
  'degraded',
  'outcome',
  'waitingFor',
  'leftOut',
  'limits',
  'withoutHandler',
  'away',
  'inWork',
  'faults',
  'written',
  'resources',
  'events',
]
