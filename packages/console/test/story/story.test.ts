import { Command } from 'commander'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler, PawlError } from '../../../../src/index.ts'
import { createAdminClient } from '../../src/commands/admin-client.ts'
import { type FhirServer, startFhirServer } from '../../../testing/src/services/fhir-server.ts'
import { addShowCommand } from '../../src/commands/show-command.ts'
import { Matches, Story } from '../../src/contract/story.ts'
import { canaries, findCanaries } from '../../../../test/support/canaries.ts'
import { canaryResource } from '../../../../test/support/canary-world.ts'
import { captureLog, type LogCapture } from '../../../../test/support/log-capture.ts'
import { describeOnPostgres } from '../../../../test/support/postgres.ts'
import { createScriptedApi, type ScriptedApi } from '../../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../../test/support/start-local-gateway.ts'
import { until } from '../../../../test/support/until.ts'
import { deliver, envelope } from '../../../../test/support/webhook.ts'
import { aDelivery } from '../../../ledger/test/a-delivery.ts'

const on = ['prior_authorization.status_change'] as const

class DeskLocked extends PawlError {
  readonly code = 'desk_locked'
}

/** Tests of the stories of a real gateway, on any kind of ledger. */
function describeStories(databaseUrl: () => Promise<Record<string, string>>) {
  let fhir: FhirServer
  let gateway: LocalGateway
  let service: ScriptedApi
  let log: LogCapture
  let isLocked: boolean

  beforeAll(async () => {
    fhir = await startFhirServer()
    await fhir.admit(canaryResource('pa_req_1').patient as Parameters<FhirServer['admit']>[0])
  })
  afterAll(() => fhir.close())

  beforeEach(async () => {
    isLocked = true
    service = createScriptedApi()
    log = captureLog('debug')
    const chart = defineHandler({
      name: 'chart',
      on,
      async handle({ resource, ehr, once }) {
        await ehr.putPriorAuthorization(resource)
        await once('announced', async () => {})
      },
    })
    const desk = defineHandler({
      name: 'desk',
      on,
      async handle() {
        if (isLocked) throw new DeskLocked('The desk is locked.')
      },
    })
    gateway = await startLocalGateway(
      { api: service.api, handlers: [chart, desk], log: log.log },
      { FHIR_BASE_URL: fhir.url, ...(await databaseUrl()) },
    )
  })
  afterEach(() => gateway.destroy())

  const isSettled = (id: string, count = 1) =>
    until(`${id} is settled`, async () => {
      const resource = await gateway.ledger.resource(id)
      const isDue = resource?.progress.some(({ state }) => state === 'due') ?? true
      return resource !== undefined && resource.events >= count && !isDue && resource.dueAt === undefined
    })

  /** The service comes to say this of the resource, and tells so. */
  async function change(id: string, fields: Record<string, unknown>, count: number): Promise<void> {
    const resource = { ...canaryResource(id), ...fields }
    service.set(resource)
    await deliver(gateway.url, envelope(resource))
    await isSettled(id, count)
  }

  const admin = (path: string, body?: unknown) =>
    fetch(
      `${gateway.adminUrl}${path}`,
      body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    )
  const storyOf = async (id: string, query = '') =>
    Story.parse(await (await admin(`/api/resources/${id}/story${query}`)).json())

  async function pawl(...args: string[]): Promise<string> {
    const lines: string[] = []
    const ask = createAdminClient(() => ({ url: gateway.adminUrl, password: undefined }))
    const program = new Command().exitOverride()
    const readLine = () => Promise.resolve(canaries.mrn)
    addShowCommand(program, { ask, print: (line) => void lines.push(line), readLine })
    await program.parseAsync(['show', ...args], { from: 'user' })
    return lines.join('\n')
  }

  it('tell each delivery, snapshot, run, write and effect in order, and how all stands', async () => {
    await change('pa_req_1', { status: 'processing', outcome: { result: 'Pending' } }, 1)
    await deliver(
      gateway.url,
      envelope({ ...canaryResource('pa_req_1'), status: 'processing', outcome: { result: 'Pending' } }),
    )
    isLocked = false
    await change('pa_req_1', {}, 2)
    const story = await storyOf('pa_req_1')
    expect(story).toMatchObject({
      id: 'pa_req_1',
      kind: 'prior_authorization',
      status: 'completed',
      outcome: ['Denied', 'unknown'],
      isTerminal: true,
      isInWork: false,
      handlers: [
        { handler: 'chart', state: 'synced', attempts: 0 },
        { handler: 'desk', state: 'synced', attempts: 0 },
      ],
    })
    const told = story.entries.map((entry) => {
      if (entry.kind === 'delivery') return `${entry.source}, ${entry.duplicates} duplicates`
      if (entry.kind === 'snapshot') return entry.changes.map(({ field, from, to }) => [field, from, to].join(' '))
      if (entry.kind === 'run') return `${entry.handler} ${entry.result} ${entry.error?.code ?? ''}`
      if (entry.kind === 'notice') return `notice ${entry.noticeId}`
      if (entry.kind === 'start') return `started from ${entry.prescription}`
      if (entry.kind === 'reveal') return `shown to ${entry.actor}`
      return `${entry.handler} ${entry.key}`
    })
    expect(told.slice(0, 2)).toEqual([
      'webhook, 1 duplicates',
      expect.arrayContaining(['status  processing', 'outcome.result  Pending']),
    ])
    expect(told).toContain('desk parked desk_locked')
    expect(told).toContain('chart announced')
    const second = told.indexOf('webhook, 0 duplicates')
    expect(second).toBeGreaterThan(2)
    // A claim lost on a busy machine may add entries between.
    expect(told.slice(second + 1)).toContainEqual(
      expect.arrayContaining([
        'status processing completed',
        'outcome.result Pending Denied',
        'outcome.detail_code  unknown',
        'outcome.detail  ',
      ]),
    )
    expect(told.slice(second + 1)).toEqual(expect.arrayContaining(['chart succeeded ', 'desk succeeded ']))
    const links = story.entries.flatMap((entry) =>
      entry.kind === 'run' ? entry.writes.map(({ link = '' }) => link) : [],
    )
    expect(links.length).toBeGreaterThan(1)
    for (const link of links) expect((await fetch(link)).status).toBe(200)
  })

  it('hold nothing of a patient, found by any number, nor does the log', async () => {
    isLocked = false
    await change('pa_req_1', {}, 1)
    await change('pa_req_2', { status: 'processing' }, 1)
    const values = [canaries.mrn, ` ${canaries.memberNumber.toLowerCase()}`, 'patient-of-the-canaries']
    for (const value of values) {
      const response = await admin('/api/resources/find', { value })
      const text = await response.text()
      expect(findCanaries(text)).toEqual([])
      const { matches } = Matches.parse(JSON.parse(text))
      // Whichever was heard of last: a claim that a busy machine loses is an event, too.
      expect(new Map(matches.map(({ id, status }) => [id, status]))).toEqual(
        new Map([
          ['pa_req_1', 'completed'],
          ['pa_req_2', 'processing'],
        ]),
      )
    }
    const shown = [await pawl('pa_req_1'), await pawl('pa_req_2', '--json'), await pawl('--patient', canaries.mrn)]
    expect(findCanaries(JSON.stringify([shown, await storyOf('pa_req_1')]))).toEqual([])
    expect(findCanaries(log.text())).toEqual([])
  })

  it('are printed as a table, or as JSON for programs', async () => {
    await change('pa_req_table', { ndp_submission: { prescription_message_id: 'RX-1' } }, 1)
    const printed = await pawl('--prescription', 'rx-1')
    expect(printed).toMatch(/^pa_req_table$/m)
    expect(printed).toMatch(/^status +completed \(Denied, unknown\)$/m)
    expect(printed).toMatch(
      /^desk +parked since [-\d]+ [:\d]+Z +- +desk_locked: The desk is locked\. \(after 1 attempt\)$/m,
    )
    expect(printed).toMatch(/^when +what +by +result +details$/m)
    expect(printed).toMatch(/ event \d+ +webhook +prior_authorization\.status_change, trace [0-9a-f]{32}$/m)
    expect(printed).toMatch(/ snapshot +event \d+ +status completed, outcome\.result Denied/)
    expect(printed).toMatch(/ wrote +ehr +ClaimResponse\/.* http/)
    expect(printed).toMatch(/ effect +chart +done +announced$/m)
    expect(Story.parse(JSON.parse(await pawl('pa_req_table', '--json'))).id).toBe('pa_req_table')
  })

  it('of several that carry a number are listed, and the number can be read from standard input', async () => {
    await change('pa_req_1', {}, 1)
    await change('pa_req_2', {}, 1)
    const listed = await pawl('--patient', '-')
    expect(listed).toMatch(/^id +kind +status +last event +found by$/m)
    expect(listed).toMatch(/^pa_req_2 +prior_authorization +completed \(Denied, unknown\) +[-\d]+ [:\d]+Z +mrn$/m)
    expect((await pawl(canaries.mrn)).split('\n')).toHaveLength(listed.split('\n').length)
  })

  it('are found by the trace of a delivery, and by the event_id that its sender gave it', async () => {
    await change('pa_req_1', {}, 1)
    const resource = { ...canaryResource('pa_req_2'), status: 'processing' }
    service.set(resource)
    await deliver(gateway.url, { ...envelope(resource), event_id: 'evt_of_the_sender' })
    await isSettled('pa_req_2')
    const [trace] = (await storyOf('pa_req_2')).entries.flatMap((each) =>
      each.kind === 'delivery' ? [each.traceId] : [],
    )
    const found = async (value: string | undefined) =>
      Matches.parse(await (await admin('/api/resources/find', { value })).json()).matches.map(({ id, by }) => [id, by])
    expect(await found('evt_of_the_sender')).toEqual([['pa_req_2', 'event']])
    expect(await found(trace)).toEqual([['pa_req_2', 'trace']])
    expect(await found(trace?.toUpperCase())).toEqual([['pa_req_2', 'trace']])
    expect(await found(`0${trace?.slice(0, 31)}`)).toEqual([])
    expect(await pawl(trace ?? '')).toMatch(/^pa_req_2$/m)
    const traced = 'c0ffee00c0ffee00c0ffee00c0ffee00'
    await gateway.ledger.accept(
      aDelivery({
        body: envelope({ ...canaryResource('pa_req_1'), status: 'processing' }),
        traceparent: `00-${traced}-00f067aa0ba902b7-01`,
      }),
    )
    expect(await found(traced)).toEqual([['pa_req_1', 'trace']])
  })

  it('of what is not known say what to do, without the value', async () => {
    const refused = await pawl('--patient', canaries.mrn).then(String, (error: unknown) => String(error))
    expect(refused).toContain('`pawl sync <id>` asks the service')
    expect(findCanaries(refused)).toEqual([])
    const response = await admin('/api/resources/pa_req_9/story')
    expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'unknown_resource' } }])
    const bodies = [{}, { value: ' ' }, { value: canaries.mrn, fields: [canaries.lastName] }]
    for (const body of bodies) {
      const answer = await admin('/api/resources/find', body)
      expect(answer.status).toBe(400)
      expect(findCanaries(await answer.text())).toEqual([])
    }
    for (const query of ['?limit=0', '?limit=1001', '?before=odd'])
      expect((await admin(`/api/resources/pa_req_1/story${query}`)).status).toBe(400)
  })

  it('of a resource with 1,000 events come in parts, the newest first, and hold each event once', async () => {
    await change('pa_req_1', {}, 1)
    const eventType = 'prior_authorization.message'
    const accept = (n: number) => gateway.ledger.accept(aDelivery({ eventType, body: { n, filler: canaries.message } }))
    // No more at once than PostgreSQL takes in time on a loaded machine.
    for (let from = 0; from < 999; from += 111)
      await Promise.all(Array.from({ length: 111 }, (_, n) => accept(from + n)))
    await isSettled('pa_req_1', 1_000)
    const ids: number[] = []
    const parts: Story['entries'][] = []
    for (let before: string | undefined; ;) {
      const part = await storyOf('pa_req_1', `?limit=300${before === undefined ? '' : `&before=${before}`}`)
      expect(part.entries.length).toBeLessThanOrEqual(300)
      parts.unshift(part.entries)
      ids.unshift(...part.entries.flatMap((entry) => (entry.kind === 'delivery' ? [entry.eventId] : [])))
      before = part.before
      if (before === undefined) break
    }
    expect(parts.length).toBeGreaterThan(3)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(new Set(ids).size).toBe(1_000)
    const first = await pawl('pa_req_1', '--limit', '2')
    const cursor = /^--before (\S+)$/m.exec(first)?.[1] ?? ''
    expect(await pawl('pa_req_1', '--limit', '2', '--before', cursor)).not.toBe(first)
  })
}

describe('stories on SQLite', () => {
  describeStories(() => Promise.resolve({ SEALING_KEYS: canaries.sealingKey }))
})

describeOnPostgres('stories on PostgreSQL', (createLedgerDatabase) => {
  describeStories(async () => ({ DATABASE_URL: await createLedgerDatabase() }))
})
