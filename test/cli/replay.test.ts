import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler, defineIntegration, type HandlerContext } from '#pawl'
import {
  aMessage,
  anEvent,
  aPriorAuthorization,
  approved,
  startFarSide,
  startTestGateway,
  type TestGateway,
} from '#pawl/testing'
import { type FhirServer, startFhirServer } from '../../src/cli/dev/services/fhir-server.ts'
import { formatReplay } from '../../src/cli/replay/format-replay.ts'
import { replayLedger, type ReplayResult } from '../../src/cli/replay/replay-ledger.ts'
import { createFhirEhr } from '../../packages/ehr/src/fhir/fhir-ehr.ts'
import { createMemoryEhr } from '../../packages/ehr/src/memory/memory-ehr.ts'
import { createMemoryPharmacy } from '../../packages/pharmacy/src/memory/memory-pharmacy.ts'
import type { System, SystemsByName } from '../../packages/connector/src/system.ts'
import type { AnyHandler } from '../../src/work/handler.ts'
import { dumpLedger } from '../../packages/ledger/test/filled-ledger.ts'
import { shippedIntegration } from '../support/shipped-integration.ts'
import { runPawl } from '../support/run-script.ts'

const on = ['prior_authorization.status_change'] as const
type Context = HandlerContext<(typeof on)[number]>
/** With a system that the compiler does not know. */
type WithCrm = Context & { crm: { open(id: string): Promise<{ number: string }> } }

const handler = (name: string, handle: (context: WithCrm) => Promise<unknown>): AnyHandler =>
  // The compiler knows the systems of src/integration alone.
  defineHandler({ name, on, handle: async (context) => void (await handle(context as WithCrm)) })

const chart = handler('chart', async ({ resource, changes, ehr }) => {
  await ehr.putPriorAuthorization(resource)
  for (const message of changes.newMessages) await ehr.putMessage(resource, message)
})
const notice = handler('notice', ({ resource, pharmacy }) => pharmacy.putPrescriptionTransfer(resource))
const customers = handler('customers', async ({ resource, crm, once, memory }) => {
  await once('opened', () => crm.open(resource.id))
  await memory.write('newest', resource.id)
})
const fragile = handler('fragile', async ({ resource }) => {
  if (resource.id === 'pa_req_2') throw new TypeError('of Jane Sample')
})
/** The task is there in the end of all runs, as staff may have it by now. */
const asking = (reason: string) =>
  handler('asking', ({ resource, ehr }) =>
    ehr.openStaffTask(resource, { reason, title: 'Call', instructions: 'Call.' }),
  )
const recorded = [chart, notice, customers, fragile, asking('call')]

describe('a replay of a ledger that a gateway filled', () => {
  let folder: string
  let databaseUrl: string
  let gateway: TestGateway
  let systems: SystemsByName
  const sealingKey = Buffer.alloc(32, 7)

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-replay-'))
    databaseUrl = `file:${join(folder, 'pawl.db')}`
    const crm: System<object> = {
      open: (run) => ({
        async open(id: string) {
          run.wrote({ type: 'account', id })
          return { number: '7' }
        },
      }),
    }
    gateway = await startTestGateway({
      integration: defineIntegration({
        settings: {},
        systems: () => ({ ehr: createMemoryEhr(), pharmacy: createMemoryPharmacy(), crm }),
        handlers: recorded,
      }),
      // The compiler knows the systems of src/integration alone.
      systems: { crm } as object,
      settings: { DATABASE_URL: databaseUrl, RETRY_ATTEMPTS: '1', SEALING_KEYS: sealingKey.toString('base64') },
    })
    systems = { ehr: createMemoryEhr(), pharmacy: createMemoryPharmacy(), crm }
    const transferred = { status: 'in_progress' as const }
    for (const pa of [
      aPriorAuthorization({ message_thread: { is_resolved: false, messages: [aMessage()] } }),
      aPriorAuthorization({ id: 'pa_req_2', outcome: approved() }),
      aPriorAuthorization({ id: 'pa_req_3', outcome: approved(), prescription_transfer: transferred }),
    ]) {
      await gateway.deliver(anEvent(pa))
      await gateway.settle()
    }
  })
  afterEach(async () => {
    await gateway.close()
    await rm(folder, { recursive: true })
  })

  const replay = (handlers: readonly AnyHandler[], options: { since?: number; limit?: number } = {}) =>
    replayLedger({ databaseUrl, sealingKeys: [sealingKey], systems, settings: {}, handlers, limit: 5, ...options })
  const found = async (handlers: readonly AnyHandler[]) =>
    (await replay(handlers)).groups.map(({ handler: name, is, what, ids }) => [name, is, what, ids.join(' ')])

  it('finds nothing where the handlers are those that wrote it, and leaves the ledger beside a running pawl as it was', async () => {
    const before = await dumpLedger(databaseUrl)
    const calls = gateway.calls.length
    const result = await replay(recorded)
    expect(result.groups).toEqual([])
    expect(result).toMatchObject({ compared: 15, same: 15, left: { inWork: 0, nothingKept: 0 } })
    expect(await dumpLedger(databaseUrl)).toEqual(before)
    expect(gateway.calls).toHaveLength(calls)
  })

  it('shows which resources a changed mapping would write otherwise, and no others', async () => {
    const changed = handler('chart', async ({ resource, changes, ehr }) => {
      const shown = resource.id === 'pa_req_3' ? { ...resource, outcome: { result: 'Denied' as const } } : resource
      await ehr.putPriorAuthorization(shown)
      for (const message of changes.newMessages) await ehr.putMessage(resource, message)
    })
    expect(await found([changed])).toEqual([
      ['chart', 'differs', 'ehr Task', 'pa_req_3'],
      ['chart', 'differs', 'ehr ClaimResponse', 'pa_req_3'],
      ['chart', 'differs', 'ehr DocumentReference', 'pa_req_3'],
    ])
  })

  it('shows what would be written on top, and what would not be any more', async () => {
    const changed = handler('chart', async ({ resource, ehr }) => {
      await ehr.putPriorAuthorization(resource)
      if (resource.id === 'pa_req_2') await ehr.putNote(resource, { key: 'n', title: 'Note', text: 'Approved.' })
    })
    const silent = [handler('notice', async () => {}), handler('customers', async () => {})]
    expect(await found([changed, ...silent])).toEqual([
      ['chart', 'more', 'ehr DocumentReference', 'pa_req_2'],
      ['chart', 'less', 'ehr Communication', 'pa_req_1'],
      ['customers', 'less', 'crm account', 'pa_req_1 pa_req_2 pa_req_3'],
      ['notice', 'less', 'pharmacy prescription_transfer.updated', 'pa_req_3'],
    ])
  })

  it('shows what the pharmacy would be told anew', async () => {
    const changed = handler('notice', ({ resource, pharmacy }) =>
      pharmacy.putPrescriptionTransfer({
        ...resource,
        prescription_transfer: resource.prescription_transfer && {
          ...resource.prescription_transfer,
          status: 'cancelled',
        },
      }),
    )
    expect(await found([changed])).toEqual([
      ['notice', 'differs', 'pharmacy prescription_transfer.updated', 'pa_req_3'],
    ])
  })

  it('shows what would throw where it succeeded, by class and place alone, and what would succeed where it failed', async () => {
    const broken = handler('chart', async ({ resource, ehr }) => {
      if (resource.id === 'pa_req_1') throw new RangeError('of Jane Sample')
      await ehr.putPriorAuthorization(resource)
    })
    const mended = handler('fragile', async () => {})
    const result = await replay([broken, mended])
    expect(result.groups).toMatchObject([
      { handler: 'chart', is: 'throws', what: expect.stringMatching(/^RangeError at replay\.test\.ts:\d+$/) },
      { handler: 'fragile', is: 'passes', what: 'unexpected', ids: ['pa_req_2'] },
    ])
    expect(JSON.stringify(result)).not.toContain('Sample')
  })

  it('runs no effect that is recorded, and shows those that are not', async () => {
    const changed = handler('customers', async ({ resource, crm, once }) => {
      const opened = await once('opened', () => crm.open(resource.id))
      if (opened?.number !== '7') throw new Error('it is not the one that was recorded')
      await once('welcomed', () => crm.open('again'))
    })
    expect(await found([changed])).toEqual([['customers', 'more', 'once', 'pa_req_1 pa_req_2 pa_req_3']])
  })

  it('gives a handler the ids of its memory, with those that it writes itself, and stores none', async () => {
    const read: (string | undefined)[] = []
    const changed = handler('customers', async ({ resource, memory }) => {
      read.push(await memory.read('newest'))
      await memory.write('newest', `${resource.id}-again`)
      read.push(await memory.read('newest'))
    })
    await found([changed])
    expect(read).toEqual(['pa_req_1', 'pa_req_2', 'pa_req_3'].flatMap((id) => ['pa_req_3', `${id}-again`]))
  })

  it('says of what only another system knows that it cannot tell', async () => {
    const asks = handler('chart', async ({ resource, api, ehr }) => {
      const other = await api.getPriorAuthorization('pa_req_other')
      await ehr.putPriorAuthorization({ ...resource, status: other.status })
    })
    const uses = handler('notice', async ({ resource, crm }) => void (await crm.open(resource.id)).number)
    const { groups } = await replay([asks, uses, asking('write')])
    expect(groups).toMatchObject([
      // Whether it is still open, the chart alone knows.
      { handler: 'asking', is: 'unknown', what: 'ehr Task', count: 3 },
      { handler: 'chart', is: 'unknown', what: 'NotRehearsable (not_rehearsable)', count: 3 },
      { handler: 'notice', is: 'more', what: 'crm.open', count: 3 },
      { handler: 'notice', is: 'unknown', what: expect.stringMatching(/^TypeError at/), count: 3 },
    ])
  })

  it('reads the resource of the run from the ledger', async () => {
    const asks = handler('chart', async ({ resource, changes, api, ehr }) => {
      await ehr.putPriorAuthorization(await api.getPriorAuthorization(resource.id))
      for (const message of changes.newMessages) await ehr.putMessage(resource, message)
    })
    expect(await found([asks])).toEqual([])
  })

  it('lets a handler reach no server', async () => {
    const server = await startFarSide(() => ({ status: 200 }))
    const calls = handler('fragile', async () => void (await fetch(server.url)))
    expect((await found([calls])).map(([, is]) => is)).toEqual(['unknown', 'unknown'])
    expect(server.requests).toEqual([])
    expect((await fetch(server.url)).status).toBe(200)
    await server.close()
  })

  it('leaves out what was not read since, names no more than `limit`, and says in a table what it found', async () => {
    const changed = handler('chart', async () => {})
    const none = await replay([changed], { since: gateway.clock.now() + 1 })
    expect(formatReplay(none)).toEqual(['0 runs compared, 0 the same.'])
    const result = await replay([changed], { since: Date.parse('2026-03-02T00:00:00Z'), limit: 2 })
    expect(formatReplay(result).map((line) => line.replace(/ {2,}/g, '  '))).toEqual([
      'handler  would  what  resources  such as',
      'chart  not write  ehr Task  3  pa_req_1, pa_req_2, …',
      'chart  not write  ehr ClaimResponse  3  pa_req_1, pa_req_2, …',
      'chart  not write  ehr DocumentReference  3  pa_req_1, pa_req_2, …',
      'chart  not write  ehr Communication  1  pa_req_1',
      '3 runs compared, 0 the same.',
    ])
  })
})

describe('pawl replay', () => {
  let folder: string
  let fhir: FhirServer
  let gateway: TestGateway
  let env: Record<string, string>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-replay-'))
    fhir = await startFhirServer()
    env = {
      DATABASE_URL: `file:${join(folder, 'pawl.db')}`,
      FHIR_BASE_URL: fhir.url,
      FHIR_IDENTIFIER_BASE: 'https://clinic.test/identifiers',
    }
    gateway = await startTestGateway({
      integration: shippedIntegration,
      settings: env,
      systems: { ehr: createFhirEhr({ baseUrl: fhir.url, identifierBase: 'https://clinic.test/identifiers' }) },
    })
    const patient = { internal_id: 'mrn-7', date_of_birth: '1980-01-31' }
    await fhir.admit(patient)
    await gateway.deliver(anEvent(aPriorAuthorization({ patient, outcome: approved() })))
    await gateway.settle()
    expect(await gateway.parked()).toEqual([])
  })
  afterEach(async () => {
    await gateway.close()
    await fhir.close()
    await rm(folder, { recursive: true })
  })

  /** Of the shipped handlers, on the ledger of a gateway that runs. */
  const replay = (args: string[], different: Record<string, string> = {}) => {
    const sound = { WEBHOOK_SECRETS: 'a'.repeat(64), API_BASE_URL: 'http://127.0.0.1:9', API_TOKEN: 'token' }
    return runPawl(['replay', ...args], { ...sound, ...env, ...different })
  }

  it('exits with 0 where nothing differs, and asks the chart for its metadata alone', async () => {
    const before = new Map(fhir.requests)
    const { code, out: output } = await replay(['--dry-run', '--handler', 'prior-authorization-to-ehr'])
    expect({ code, output }).toEqual({ code: 0, output: '1 run compared, 1 the same.\n' })
    const added = [...fhir.requests].filter(([key, count]) => count !== before.get(key))
    expect(added.map(([key]) => key)).toEqual(['GET metadata'])
  })

  it('exits with 1 where the chart would be written to otherwise', async () => {
    const { code, out: output } = await replay(['--dry-run', '--json'], {
      FHIR_IDENTIFIER_BASE: 'https://other.test/identifiers',
    })
    // As replay prints it.
    const { groups } = JSON.parse(output) as ReplayResult
    const ofChart = groups.filter((group) => group.handler === 'prior-authorization-to-ehr')
    expect({ code, found: ofChart.map(({ is, what, ids }) => [is, what, ...ids]) }).toEqual({
      code: 1,
      found: ['Task', 'ClaimResponse', 'DocumentReference'].map((type) => ['differs', `ehr ${type}`, 'pa_req_1']),
    })
  })

  it('cannot tell where the chart does not say what it takes', async () => {
    const { out: output } = await replay(['--dry-run', '--handler', 'prior-authorization-to-ehr'], {
      FHIR_BASE_URL: 'http://127.0.0.1:9',
    })
    expect(output).toMatch(
      /^prior-authorization-to-ehr +\(cannot tell\) +NotRehearsable \(not_rehearsable\) +1 +pa_req_1$/m,
    )
  })

  it.each([
    ['without --dry-run', []],
    ['for a time in the future', ['--dry-run', '--since', '2999-01-01T00:00:00Z']],
    ['for a handler that is not there', ['--dry-run', '--handler', 'none']],
  ])('exits with 2 %s', async (_why, args) => {
    expect((await replay(args)).code).toBe(2)
  })
})
