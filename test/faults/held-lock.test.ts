import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { captureLog, type LogCapture } from '../support/log-capture.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { runCommand } from '../support/run-command.ts'
import { argumentsFor } from '../support/run-script.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { type LocalGateway, startLocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

interface Ready {
  code: number
  status: string
  ledger?: { code: string; by: string[] }
  degraded: string[]
  events?: number
}

/** A lock that somebody else took and forgot. */
interface HeldLock {
  /** A part of its name. */
  holder: string
  release(): Promise<unknown>
}

let gateways: LocalGateway[] = []
let release: (() => Promise<unknown>) | undefined
let log: LogCapture
afterEach(async () => {
  await release?.()
  release = undefined
  await Promise.all(gateways.splice(0).map((gateway) => gateway.destroy()))
})

async function start(env: Record<string, string>): Promise<LocalGateway> {
  log = captureLog()
  const parts = { api: createScriptedApi().api, handlers: [], log: log.log, isThreaded: true }
  const gateway = await startLocalGateway(parts, { ALERT_INTERVAL_MS: '200', ...env })
  gateways.push(gateway)
  return gateway
}

async function readyz({ adminUrl }: LocalGateway): Promise<Ready> {
  const response = await fetch(`${adminUrl}/readyz`)
  // As the admin listener answers.
  return { code: response.status, ...((await response.json()) as Omit<Ready, 'code'>) }
}

/** A lock that keeps writers from the ledger, taken and released again; without one, what the pages show too. */
function describeHeldLock(
  start: (env?: Record<string, string>) => Promise<LocalGateway>,
  hold: (gateway: LocalGateway) => Promise<HeldLock>,
  { canRead }: { canRead: boolean },
): void {
  it('makes a receiver not ready, and names its holder at /readyz, in the log and on the overview', async () => {
    const gateway = await start()
    expect((await deliver(gateway.url, envelope({ id: 'pa_req_1' }))).status).toBe(202)
    expect(await readyz(gateway)).toMatchObject({ code: 200, status: 'ready', events: 1 })
    const lock = await hold(gateway)
    const blocked = await until('it is not ready', async () => {
      const ready = await readyz(gateway)
      return ready.code === 503 && ready
    })
    expect(blocked).toMatchObject({
      status: 'ledger_blocked',
      ledger: { code: 'locked', by: [expect.stringContaining(lock.holder)] },
    })
    expect(log.lines()).toContainEqual(
      expect.objectContaining({
        level: 'error',
        component: 'ledger',
        code: 'locked',
        reason: expect.stringContaining(lock.holder) as string,
      }),
    )
    const page = await fetch(gateway.adminUrl, { headers: { accept: 'text/html' } })
    expect([page.status, await page.text()]).toEqual([
      canRead ? 200 : 503,
      expect.stringContaining(`${lock.holder} holds a lock`),
    ])
  })

  it('turns deliveries away while it lasts, tells of it as over afterwards, and loses none', async () => {
    const gateway = await start()
    const lock = await hold(gateway)
    await until('it is known', async () => (await readyz(gateway)).code === 503)
    const refused = await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(log.lines()).toContainEqual(expect.objectContaining({ msg: 'delivery not stored', reason: 'locked' }))
    await lock.release()
    await until('it is ready', async () => (await readyz(gateway)).code === 200)
    expect((await deliver(gateway.url, envelope({ id: 'pa_req_1' }))).status).toBeLessThan(300)
    expect((await gateway.ledger.counts()).events).toBe(1)
    const over = /Deliveries have been turned away since .* \(another process held a lock\)/
    await until('it is told', async () => over.test(await runCommand(gateway.adminUrl, 'alerts', '--history')))
    expect(log.lines()).toContainEqual(expect.objectContaining({ msg: 'the ledger takes writes again' }))
  })

  it('leaves a worker ready, which no restart would help', async () => {
    const gateway = await start({ ROLE: 'worker' })
    await hold(gateway)
    const known = await until('it is known', async () => {
      const ready = await readyz(gateway)
      expect(ready.code).toBe(200)
      return ready.ledger !== undefined && ready
    })
    expect(known).toMatchObject({ status: 'ready', ledger: { code: 'locked' } })
  })
}

describe('a write lock on the SQLite file that another process holds', () => {
  async function hold({ databasePath }: LocalGateway): Promise<HeldLock> {
    const child = spawn(process.execPath, [...argumentsFor('test/faults/hold-lock-main.ts'), databasePath], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (bytes: Buffer) => void (text += bytes.toString()))
    release = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    }
    await until('the lock is held', () => text.includes('held'))
    return { holder: `[${child.pid}]`, release }
  }
  describeHeldLock((env = {}) => start(env), hold, { canRead: true })
})

describeWithPostgres('a table lock on PostgreSQL that another session holds', () => {
  let server: TestPostgres
  let url: string
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.close())

  async function hold(): Promise<HeldLock> {
    const client = new Client({ connectionString: url, application_name: 'psql' })
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    await client.query('begin')
    await client.query('lock table resources in access exclusive mode')
    release = () => client.end()
    return { holder: `psql[${rows[0]?.pid}]`, release }
  }
  describeHeldLock(
    async (env = {}) => {
      url = await server.createLedgerDatabase()
      return start({ DATABASE_URL: url, ...env })
    },
    hold,
    { canRead: false },
  )
})
