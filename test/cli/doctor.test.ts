import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineHandler } from '#pawl'
import { startServer } from '../../packages/base/src/net/server.ts'
import { diagnose } from '../../src/cli/doctor/diagnose.ts'
import { examineNode } from '../../src/cli/doctor/examine-node.ts'
import { type FhirServer, startFhirServer } from '../../packages/testing/src/services/fhir-server.ts'
import { createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { type FarSide, startFarSide } from '../../packages/testing/src/far-side.ts'
import type { AnyIntegration } from '../../src/work/integration.ts'
import { readOnly } from '../support/charts/read-only.ts'
import { startChart } from '../support/charts/start-chart.ts'
import { canaries, everyCanary, findCanaries } from '../support/canaries.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { shippedIntegration } from '../support/shipped-integration.ts'
import { freePort } from '../support/spawn-pawl.ts'
import { startLocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { runPawl } from '../support/run-script.ts'

let sandbox: Sandbox
let fhir: FhirServer
let pharmacy: FarSide
let folder: string
/** Settings with which nothing is wrong. */
let sound: Record<string, string>
const closers: (() => unknown)[] = []

beforeAll(async () => {
  fhir = await startFhirServer()
  pharmacy = await startFarSide(() => ({ status: 204 }))
  sandbox = createSandbox()
  folder = await mkdtemp(join(tmpdir(), 'pawl-doctor-test-'))
  const { url } = await sandbox.listen()
  sound = {
    NODE_ENV: 'production',
    PORT: '0',
    ADMIN_PORT: '0',
    WEBHOOK_SECRETS: randomBytes(32).toString('hex'),
    SEALING_KEYS: randomBytes(32).toString('base64'),
    API_BASE_URL: url,
    API_TOKEN: await sandbox.issueToken(),
    DATABASE_URL: `file:${join(folder, 'data', 'pawl.db')}`,
    FHIR_BASE_URL: fhir.url,
    FHIR_IDENTIFIER_BASE: 'https://clinic.test/identifiers',
    PHARMACY_URL: pharmacy.url,
    PHARMACY_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
  }
})
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})
afterAll(async () => {
  await sandbox.close()
  await fhir.close()
  await pharmacy.close()
  await rm(folder, { recursive: true, force: true })
})

async function find(env: Record<string, string>, integration: AnyIntegration = shippedIntegration) {
  const { findings, hasWrongSettings } = await diagnose({ ...sound, ...env }, integration)
  for (const { level, todo } of findings) expect(todo === null).toBe(level === 'ok')
  const amiss = findings.filter(({ level }) => level !== 'ok')
  const lines = amiss.map(({ area, level, says }) => `${area} ${level} ${says}`)
  const areas = new Set(findings.map(({ area }) => area))
  return { findings, lines, areas, hasWrongSettings }
}

/** Listens on a port of its own until the test is over. */
async function listen(listener: RequestListener): Promise<string> {
  const server = await startServer(listener, { host: '127.0.0.1', port: 0 })
  closers.push(() => server.close(0))
  return new URL(server.url).port
}

/** A folder that is removed after the test. */
async function makeRoom(): Promise<string> {
  const room = await mkdtemp(join(tmpdir(), 'pawl-doctor-test-'))
  closers.push(() => rm(room, { recursive: true, force: true }))
  return room
}

const doctor = (env: Record<string, string>, ...args: string[]) => runPawl(['doctor', ...args], { ...sound, ...env })

describe('the doctor', () => {
  it('finds nothing wrong with a sound set-up, looks at all of it, and leaves nothing behind', async () => {
    const { lines, areas, hasWrongSettings } = await find({})
    expect(lines).toEqual([])
    expect(hasWrongSettings).toBe(false)
    expect([...areas]).toEqual([
      'node',
      'integration',
      'settings',
      'secrets',
      'service',
      'clock',
      'ledger',
      'queue',
      'ports',
      'ehr',
      'pharmacy',
    ])
    expect(await readdir(folder)).toEqual([])
  })

  it('knows which Node is too old', () => {
    expect(examineNode('20.18.3')).toMatchObject({ level: 'fail', todo: 'Install Node 20.19 or later.' })
    for (const version of ['20.19.0', '22.1.0']) expect(examineNode(version).level).toBe('ok')
  })
})

describe('of the settings, the doctor', () => {
  it('warns of what is allowed, but hardly meant', async () => {
    const { SEALING_KEYS: _, FHIR_IDENTIFIER_BASE: __, ...rest } = sound
    const env = { ...rest, SEALING: 'off', LEASE_MS: '5000', RETRY_MAX_MS: '1000', RETRY_BASE_MS: '2000' }
    const { findings, hasWrongSettings } = await diagnose(env, shippedIntegration)
    const warned = findings.filter(({ area, level }) => area === 'settings' && level === 'warn')
    expect(warned.map(({ says }) => says.split(' ')[0])).toEqual([
      'sealing',
      'FHIR_IDENTIFIER_BASE',
      'LEASE_MS',
      'RETRY_MAX_MS',
    ])
    expect(hasWrongSettings).toBe(false)
  })

  it('warns of a token for a chart without an address, and of one that is sent unencrypted', async () => {
    const { lines } = await find({ FHIR_BASE_URL: '', FHIR_TOKEN: 'token-of-the-chart' })
    expect(lines).toContain('settings warn FHIR_TOKEN is set, but FHIR_BASE_URL is not.')
    const open = await find({ FHIR_BASE_URL: 'http://chart.invalid/fhir' })
    expect(open.lines[0]).toMatch(/^settings warn FHIR_BASE_URL is not encrypted/)
    const listener = await find({ EHR_URL: 'mllp://ehr.invalid:2575' })
    expect(listener.lines[0]).toMatch(/^settings warn EHR_URL is not encrypted/)
    const desk = await find({ PHARMACY_URL: 'http://pharmacy.invalid/' })
    expect(desk.lines[0]).toMatch(/^settings warn PHARMACY_URL is not encrypted/)
  })

  it('fails addresses with a query, to which paths would be appended', async () => {
    const { lines } = await find({ FHIR_BASE_URL: `${fhir.url}?tenant=1`, API_BASE_URL: `${sound.API_BASE_URL}#top` })
    for (const name of ['API_BASE_URL', 'FHIR_BASE_URL'])
      expect(lines).toContain(`settings fail ${name} has a query or a fragment.`)
  })

  it('tells every fault, and looks at all that is not touched by it', async () => {
    const { lines, areas, hasWrongSettings } = await find({
      PHARMACY_SECRET: '',
      LEASE_MS: 'soon',
      WEBHOOK_SECRETS: '',
    })
    expect(hasWrongSettings).toBe(true)
    expect(lines.map((line) => line.slice(0, 30))).toEqual([
      expect.stringContaining('settings fail LEASE_MS: '),
      expect.stringContaining('settings fail WEBHOOK_SECRETS:'),
      expect.stringContaining('settings fail PHARMACY_SECRET:'),
      expect.stringContaining('pharmacy warn Not checked'),
    ])
    for (const area of ['service', 'ledger', 'queue', 'ports', 'ehr']) expect(areas).toContain(area)
    for (const wrong of [{ EHR_URL: 'ehr.invalid:2575' }, { HL7_VERSION: '1' }, { FHIR_SCOPES: 'a  b' }])
      expect((await find(wrong)).lines).toContainEqual(expect.stringContaining('ehr warn Not checked'))
  })

  it('names settings of an integration that are at fault, or cannot be', async () => {
    const withSetting = (name: string): AnyIntegration => ({ ...shippedIntegration, settings: { [name]: z.url() } })
    const missing = await find({}, withSetting('BILLING_URL'))
    expect(missing.lines[0]).toMatch(/^settings fail BILLING_URL: /)
    const taken = await find({}, withSetting('API_TOKEN'))
    expect(taken.lines[0]).toMatch(/^settings fail API_TOKEN is a setting of pawl itself/)
    for (const { hasWrongSettings } of [missing, taken]) expect(hasWrongSettings).toBe(true)
  })
})

describe('of the secrets, the doctor', () => {
  it('warns of those that can be guessed', async () => {
    const { lines } = await find({
      WEBHOOK_SECRETS: 'a-secret-of-at-least-thirty-two-characters',
      SEALING_KEYS: Buffer.alloc(32).toString('base64'),
      PHARMACY_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
      ADMIN_PASSWORD: 'aaaaaaaaaaaaaaaa',
    })
    expect(lines).toEqual(
      ['WEBHOOK_SECRETS', 'SEALING_KEYS', 'PHARMACY_SECRET', 'ADMIN_PASSWORD'].map(
        (name) => `secrets warn A secret of ${name} is easily guessed.`,
      ),
    )
  })

  it('warns of a secret that is short', async () => {
    const { lines } = await find({ WEBHOOK_SECRETS: 'kurz-aber-Wuerz1g' })
    expect(lines).toEqual([expect.stringMatching(/^settings warn .* has fewer than 32 characters/)])
  })

  it('warns of one that stands in two places, however it is written', async () => {
    const key = randomBytes(32).toString('base64')
    const word = randomBytes(16).toString('hex')
    const { lines } = await find({
      SEALING_KEYS: key,
      PHARMACY_SECRET: `whsec_${key}`,
      WEBHOOK_SECRETS: `${word},${randomBytes(20).toString('hex')},${word}`,
      ADMIN_PASSWORD: word,
    })
    expect(lines).toEqual([
      'secrets warn WEBHOOK_SECRETS and ADMIN_PASSWORD have the same secret.',
      'secrets warn SEALING_KEYS and PHARMACY_SECRET have the same secret.',
    ])
    const twice = await find({ WEBHOOK_SECRETS: `${word},${word}` })
    expect(twice.lines).toEqual(['secrets warn WEBHOOK_SECRETS has the same secret twice.'])
  })

  it('takes one server for ledger and queue as one place', async () => {
    const address = `postgres://pawl:${randomBytes(24).toString('hex')}@127.0.0.1:9/pawl`
    const { lines } = await find({ DATABASE_URL: address })
    expect(lines.filter((line) => line.startsWith('secrets'))).toEqual([])
  })
})

describe('of the service, the doctor', () => {
  it('fails a token that is refused', async () => {
    const { lines } = await find({ API_TOKEN: 'no.such.token' })
    expect(lines).toEqual(['service fail GET /status (401): the token was refused.'])
  })

  it('fails an address without a server, or with another one', async () => {
    const nobody = await find({ API_BASE_URL: `http://127.0.0.1:${await freePort()}` })
    expect(nobody.lines).toEqual(['service fail GET /status: no answer (ECONNREFUSED).'])
    const other = await find({ API_BASE_URL: `http://127.0.0.1:${await listen((_req, res) => res.end('<p>Hi'))}` })
    expect(other.lines).toEqual([expect.stringMatching(/^service fail GET \/status/)])
  })

  it.each([
    ['fails', 'fail', -120, 'ahead of'],
    ['fails', 'fail', 120, 'behind'],
    ['warns of', 'warn', 15, 'behind'],
  ] as const)('%s a clock that differs (%s, %i s, %s)', async (_, level, seconds, way) => {
    const port = await listen((req, res) => {
      res.setHeader('date', new Date(Date.now() + seconds * 1_000).toUTCString())
      sandbox.app(req, res)
    })
    const { lines } = await find({ API_BASE_URL: `http://127.0.0.1:${port}` })
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^clock ${level} The local clock is \\d+ s ${way} the`))])
  })
})

it('fails a chart that takes nothing of what pawl writes', async () => {
  const chart = await startChart(readOnly, { token: 'a-token-of-this-chart' })
  closers.push(chart.close)
  const { findings } = await find({ FHIR_BASE_URL: chart.url, FHIR_TOKEN: 'a-token-of-this-chart' })
  const says = expect.stringContaining('The chart takes no type that pawl writes') as string
  expect(findings).toContainEqual(expect.objectContaining({ area: 'ehr', level: 'fail', says }))
})

describe('of the ledger, the doctor', () => {
  it('fails a folder that cannot be made or written to', async () => {
    const room = await makeRoom()
    await writeFile(join(room, 'file'), '')
    const inFile = await find({ DATABASE_URL: `file:${join(room, 'file', 'pawl.db')}` })
    expect(inFile.lines).toEqual(['ledger fail Its folder cannot be written to (ENOTDIR).'])
    const inProc = await find({ DATABASE_URL: 'file:/proc/nothing/pawl.db' })
    expect(inProc.lines).toEqual([expect.stringMatching(/^ledger fail Its folder cannot be written to \(\w+\)\.$/)])
  })

  it('fails a file that is a folder, or no ledger', async () => {
    const room = await makeRoom()
    expect((await find({ DATABASE_URL: `file:${room}` })).lines).toEqual([
      'ledger fail DATABASE_URL leads to a folder.',
    ])
    await writeFile(join(room, 'letter.txt'), 'No database at all. '.repeat(100))
    expect((await find({ DATABASE_URL: `file:${join(room, 'letter.txt')}` })).lines).toEqual([
      'ledger fail Its file is no SQLite database.',
    ])
  })

  it('reads one that a running pawl has open, disturbs no work, and names idle handlers and work without one', async () => {
    const on = ['prior_authorization.status_change'] as const
    const stubborn = defineHandler({
      name: 'stubborn',
      on,
      handle: () => Promise.reject(new Error('always')),
    })
    const gateway = await startLocalGateway(
      { api: createScriptedApi().api, handlers: [stubborn] },
      { RETRY_ATTEMPTS: '1', SEALING_KEYS: sound.SEALING_KEYS ?? '' },
    )
    closers.push(gateway.destroy)
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    await until('parked', async () => (await gateway.ledger.counts()).parked === 1)
    const ports = { PORT: new URL(gateway.url).port, ADMIN_PORT: new URL(gateway.adminUrl).port }
    const env = { ...ports, DATABASE_URL: `file:${gateway.databasePath}` }
    const files = await readdir(join(gateway.databasePath, '..'))

    const { lines, findings } = await find(env, { ...shippedIntegration, handlers: [stubborn] })
    expect(lines).toEqual([])
    expect(findings.filter(({ area }) => area === 'ports').map(({ says }) => says)).toEqual([
      'pawl listens on PORT.',
      'pawl listens on ADMIN_PORT.',
    ])
    const idle = defineHandler({ name: 'idle', on: ['prior_authorization.message'], handle: async () => {} })
    expect((await find(env, { ...shippedIntegration, handlers: [idle] })).lines).toEqual([
      expect.stringMatching(/^handlers warn 1 resource of stubborn: no handler of .* has this name/),
      'handlers warn idle never ran: it follows prior_authorization.message.',
    ])
    gateway.ledger.reject({ reason: 'token_invalid', bytes: 1 })
    await until('it is noted', async () => (await gateway.ledger.refused(60_000)).length === 1)
    const refused = (await find(env, { ...shippedIntegration, handlers: [stubborn] })).findings
    expect(refused.filter(({ area }) => area === 'webhooks')).toMatchObject([
      {
        level: 'warn',
        says: '1 refused within an hour (token_invalid).',
        todo: expect.stringContaining('pawl status') as string,
      },
    ])
    const otherKey = { ...env, SEALING_KEYS: randomBytes(32).toString('base64') }
    expect((await find(otherKey, { ...shippedIntegration, handlers: [stubborn] })).lines).toEqual([
      'ledger fail Bodies in it are sealed with a key that SEALING_KEYS does not list.',
      'webhooks warn 1 refused within an hour (token_invalid).',
    ])

    expect(await readdir(join(gateway.databasePath, '..'))).toEqual(files)
    expect((await deliver(gateway.url, envelope({ id: 'pa_req_2' }))).status).toBe(202)
  })

  it('reads one that no pawl has open', async () => {
    const gateway = await startLocalGateway(
      { api: createScriptedApi().api },
      { DATABASE_URL: `file:${join(await makeRoom(), 'pawl.db')}`, SEALING_KEYS: sound.SEALING_KEYS ?? '' },
    )
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    await gateway.close()
    const { findings } = await find({ DATABASE_URL: `file:${gateway.databasePath}` })
    expect(findings).toContainEqual(
      expect.objectContaining({ area: 'ledger', says: 'SQLite answers, and its content is readable.' }),
    )
    expect(await readdir(join(gateway.databasePath, '..'))).toEqual(['pawl.db'])
  })
})

describe('of the ports, the doctor', () => {
  it('fails one where something else listens', async () => {
    const port = await listen((_req, res) => res.end('another program'))
    const { lines, findings } = await find({ PORT: port })
    expect(lines).toEqual([`ports fail PORT: something else listens on port ${port} of 127.0.0.1 (HOST, PORT).`])
    expect(findings.find(({ level }) => level === 'fail')?.todo).toBe(
      'End it, or set PORT to another port, or to 0 for a free one.',
    )
  })

  it.each([
    ['a full disk', { status: 'disk_full', degraded: [] }],
    ['a ledger that does not answer', { error: { code: 'unavailable', message: 'The ledger did not answer.' } }],
  ])('knows pawl by its answer of 503 for %s', async (_, answer) => {
    const port = await listen((_req, res) => {
      res.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
    expect((await find({ ADMIN_PORT: port })).lines).toEqual([])
  })

  it('fails one port for both listeners, and a listener that refuses the password', async () => {
    const port = String(await freePort())
    expect((await find({ PORT: port, ADMIN_PORT: port })).lines).toEqual([
      'ports fail PORT and ADMIN_PORT are the same.',
    ])
    const gateway = await startLocalGateway({}, { ADMIN_PASSWORD: canaries.adminPassword })
    closers.push(gateway.destroy)
    const { lines } = await find({ ADMIN_PORT: new URL(gateway.adminUrl).port })
    expect(lines).toEqual(['ports fail A server listens on ADMIN_PORT and refuses ADMIN_PASSWORD.'])
    const ADMIN_PORT = new URL(gateway.adminUrl).port
    const proxied = { ADMIN_PORT, ADMIN_PROXY_USER_HEADER: 'X-Forwarded-User', TRUSTED_PROXIES: '192.0.2.7' }
    expect((await find(proxied)).lines).toEqual([])
  })
})

describeWithRedis('of a queue on Redis, the doctor', () => {
  let server: TestRedis
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.close())

  async function configure(settings: Record<string, string>): Promise<void> {
    const redis = new Redis(server.url)
    for (const [name, value] of Object.entries(settings)) await redis.config('SET', name, value)
    redis.disconnect()
  }

  it('is content with one that evicts nothing', async () => {
    expect((await find({ QUEUE_URL: server.url })).lines).toEqual([])
  })

  it('fails one that evicts, warns of one that may later, and writes to neither', async () => {
    await configure({ 'maxmemory-policy': 'allkeys-lru' })
    expect((await find({ QUEUE_URL: server.url })).lines).toEqual([
      'queue warn Redis may evict what is queued (maxmemory-policy allkeys-lru) once maxmemory is set.',
    ])
    await configure({ maxmemory: '100mb' })
    const { lines, findings } = await find({ QUEUE_URL: server.url })
    expect(lines).toEqual(['queue fail Redis may evict what is queued (maxmemory-policy allkeys-lru).'])
    expect(findings.find(({ area }) => area === 'queue')?.todo).toContain('noeviction')
    expect(await server.keys()).toEqual([])
  })

  it('fails a read-only replica, and says that writes go to the primary', async () => {
    const replica = await startRedis()
    closers.push(() => replica.close())
    await replica.follow(server)
    const { lines, findings } = await find({ QUEUE_URL: replica.url })
    expect(lines).toEqual(['queue fail Redis at QUEUE_URL is a read-only replica and refuses writes (READONLY).'])
    expect(findings.find(({ area }) => area === 'queue')?.todo).toContain('primary')
  })

  it('fails a cluster, which refuses the jobs of BullMQ', async () => {
    const cluster = await startRedis('--cluster-enabled', 'yes')
    closers.push(() => cluster.close())
    const redis = new Redis(cluster.url)
    await redis.cluster('ADDSLOTSRANGE', 0, 16_383)
    await until('the cluster serves', async () => (await redis.cluster('INFO')).includes('cluster_state:ok'))
    await expect(redis.mget('bull:pawl:wait', 'bull:pawl:active')).rejects.toThrow('CROSSSLOT')
    redis.disconnect()
    expect((await find({ QUEUE_URL: cluster.url })).lines).toEqual([
      'queue fail Redis at QUEUE_URL runs in cluster mode and refuses what touches several keys (CROSSSLOT).',
    ])
  })

  it('fails one that refuses the password, or is away', async () => {
    await configure({ requirepass: 'the-password-of-this-server' })
    const { lines, findings } = await find({ QUEUE_URL: server.url })
    expect(lines).toEqual(['queue fail Redis at QUEUE_URL cannot be used (NOAUTH).'])
    expect(findings.find(({ area }) => area === 'queue')?.todo).toBe('Correct the user and password in QUEUE_URL.')
    await server.stop()
    expect((await find({ QUEUE_URL: server.url })).lines).toEqual([
      'queue fail Redis at QUEUE_URL cannot be used (ECONNREFUSED).',
    ])
  })
})

describeWithPostgres('of PostgreSQL, the doctor', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.close())

  it('is content with an empty database and with a ledger in use, and fails one that is away', async () => {
    const url = await server.createDatabase()
    const env = { DATABASE_URL: url, SEALING_KEYS: sound.SEALING_KEYS ?? '' }
    expect((await find(env)).lines).toEqual([])
    const gateway = await startLocalGateway({ api: createScriptedApi().api, handlers: [] }, env)
    closers.push(() => gateway.close())
    expect((await deliver(gateway.url, envelope({ id: 'pa_req_1' }))).status).toBe(202)
    expect((await find(env, { ...shippedIntegration, handlers: [] })).lines).toEqual([])
    const away = url.replace(/:\d+\//, `:${await freePort()}/`)
    expect((await find({ DATABASE_URL: away })).lines).toEqual([
      'ledger fail PostgreSQL at DATABASE_URL cannot be used (ECONNREFUSED).',
    ])
  })
})

describe('pawl doctor', () => {
  it('exits 0 where nothing fails, with a line for each finding and their number at the end', async () => {
    const { code, output } = await doctor({})
    const lines = output.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(lines.at(-1)).toMatch(/^0 FAIL, \d+ warn, \d+ ok\.$/)
    for (const line of lines.slice(0, -2)) expect(line).toMatch(/^[\w-]+ +(ok {2}|warn|FAIL) \S/)
    expect(new Set(lines.slice(0, -2).map((line) => line.search(/(ok {2}|warn|FAIL) /))).size).toBe(1)
  })

  it('exits 1 where something fails, and 2 where settings are wrong, with all other findings', async () => {
    const failing = await doctor({ API_TOKEN: 'no.such.token' })
    expect(failing.code).toBe(1)
    expect(failing.output).toMatch(/^service +FAIL .* Set API_TOKEN to a token/m)
    const wrong = await doctor({ LEASE_MS: 'soon' }, '--json')
    expect(wrong.code).toBe(2)
    const { findings, counts } = z
      .object({
        findings: z.array(
          z.object({ area: z.string(), level: z.string(), says: z.string(), todo: z.string().nullable() }),
        ),
        counts: z.object({ ok: z.number(), warn: z.number(), fail: z.number() }),
      })
      .parse(JSON.parse(wrong.output))
    expect(findings.map(({ area }) => area)).toContain('service')
    expect(counts.fail).toBe(findings.filter(({ level }) => level === 'fail').length)
  })

  it('shows no secret, with any fault, even if a server quotes it', async () => {
    const port = await listen((_req, res) => {
      res.writeHead(401, { 'content-type': 'application/json', date: everyCanary.slice(0, 80) })
      res.end(JSON.stringify({ error: { message: everyCanary }, detail: everyCanary }))
    })
    const away = await freePort()
    const env = {
      WEBHOOK_SECRETS: `${canaries.webhookSecret},${canaries.webhookSecret},short`,
      API_BASE_URL: `http://127.0.0.1:${port}?token=${canaries.apiToken}`,
      API_TOKEN: canaries.apiToken,
      FHIR_BASE_URL: `http://pawl:${canaries.adminPassword}@127.0.0.1:${port}`,
      FHIR_TOKEN: canaries.fhirToken,
      PHARMACY_SECRET: canaries.pharmacySecret,
      ADMIN_PASSWORD: canaries.adminPassword,
      SEALING_KEYS: canaries.sealingKey,
      DATABASE_URL: `postgres://pawl:${canaries.adminPassword}@127.0.0.1:${away}/pawl`,
      QUEUE_URL: `redis://:${canaries.adminPassword}@127.0.0.1:${away}`,
      PHARMACY_URL: `mysql://pawl:${canaries.adminPassword}@127.0.0.1:${away}/pawl`,
    }
    for (const settings of [
      env,
      { ...env, API_TOKEN: `${canaries.apiToken} !`, SEALING_KEYS: `${canaries.sealingKey}x,y` },
    ]) {
      for (const args of [[], ['--json']]) {
        const { output } = await doctor(settings, ...args)
        expect(output).toContain('DATABASE_URL')
        expect(findCanaries(output)).toEqual([])
      }
    }
    const talkative: AnyIntegration = {
      ...shippedIntegration,
      settings: { BILLING_TOKEN: z.string() },
      systems: () => ({
        billing: {
          open: () => ({}),
          check: () => Promise.resolve({ ok: false, findings: [`refused: ${canaries.mrn}\nat`] }),
        },
      }),
    }
    const { lines } = await find({ BILLING_TOKEN: canaries.mrn }, talkative)
    expect(lines).toEqual(['billing fail refused: [hidden] at'])
  })
})
