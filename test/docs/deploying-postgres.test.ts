import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { dumpLedger, fillLedger, openLedger } from '../../packages/ledger/test/filled-ledger.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { needs } from '../support/needs.ts'
import { webhookSecret } from '../support/webhook.ts'
import { blocksUnder, event } from './deploying-page.ts'
import { startProxy, type Proxy } from './deployed-proxy.ts'
import { startUnits, type Units } from './deployed-units.ts'
import { commandOf } from './link-checkout.ts'

const nginx = needs('nginx', { package: 'nginx-light', folders: ['/usr/sbin'] })
const curl = needs('curl')
const execute = promisify(execFile)

describeWithPostgres('docs/deploying.md, on PostgreSQL', () => {
  let postgres: TestPostgres
  let folder: string
  /** The database that the page names `pawl`. */
  let url: string
  let reached: Record<string, string>

  /** Runs commands of the page as it does on its own machine: `/opt` and `/etc/pawl` are folders of this test. */
  async function run(commands: string, env: Record<string, string> = {}): Promise<void> {
    const moved = commands
      .replaceAll('/opt/', `${folder}/opt/`)
      .replaceAll('/etc/pawl/', `${folder}/etc/`)
      .replaceAll('postgres://pawl:password@127.0.0.1:5432/pawl', url)
    const PATH = `${join(folder, 'bin')}:${process.env.PATH}`
    await execute('sh', ['-ec', moved], { cwd: folder, env: { ...reached, PATH, DATABASE_URL: url, ...env } })
  }

  beforeAll(async () => {
    postgres = await startPostgres()
    folder = await mkdtemp(join(tmpdir(), 'pawl-deploying-'))
    for (const name of ['bin', 'etc', 'opt']) await mkdir(join(folder, name))
    const address = new URL(await postgres.createDatabase())
    reached = { PGHOST: address.hostname, PGPORT: address.port, PGUSER: 'pawl', PGDATABASE: 'postgres' }
    address.pathname = '/pawl'
    url = address.href
    // The page becomes the user postgres; here one user may do everything.
    await writeProgram('sudo', 'shift 2; exec "$@"')
  })
  afterAll(async () => {
    await postgres.close()
    await rm(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    await run('dropdb --if-exists pawl; dropdb --if-exists pawl_before')
    const [, createdb = ''] = (blocksUnder(['### PostgreSQL'])[0] ?? '').trim().split('\n')
    await run(createdb)
  })

  async function writeProgram(name: string, script: string): Promise<void> {
    const path = join(folder, 'bin', name)
    await writeFile(path, `#!/bin/sh\n${script}\n`)
    await chmod(path, 0o755)
  }

  it('backs the ledger up while pawl writes to it, and brings it back in place of the old one', async () => {
    const [backup = '', restore = ''] = blocksUnder(['## Backup and restore', '### PostgreSQL'])
    await fillLedger(url)
    const before = await dumpLedger(url)
    const running = await openLedger(url)
    await Promise.all([run(backup), ...Array.from({ length: 200 }, (_, n) => running.accept(event(1_000 + n)))])
    await running.close()
    const after = await dumpLedger(url)

    await run(restore)
    const { events = [], resources: _, ...others } = await dumpLedger(url)
    expect(before.events?.filter((row) => !events.includes(row))).toEqual([])
    expect(events.filter((row) => !after.events?.includes(row))).toEqual([])
    expect(others).toMatchObject({ states: before.states, journal: before.journal })
    const restored = await openLedger(url)
    expect(await restored.accept(event(5_000))).toMatchObject({ duplicate: false })
    await restored.close()
  })

  it('moves a ledger from a file, and gives another organization a schema and a role of its own', async () => {
    const source = `file:${join(folder, 'data/pawl.db')}`
    await mkdir(join(folder, 'data'))
    await fillLedger(source)
    await writeProgram('pawl', `exec ${commandOf('src/cli/pawl.ts')} "$@"`)
    const [copy = ''] = blocksUnder(['## From SQLite to PostgreSQL'])
    await run(copy)
    expect(await dumpLedger(url)).toEqual(await dumpLedger(source))

    const [makeTenant = ''] = blocksUnder(['## Several organizations'])
    await run(makeTenant)
    const tenant = new URL(url)
    Object.assign(tenant, { username: 'clinic_a', password: 'password' })
    tenant.searchParams.set('options', '-c search_path=clinic_a')
    const ledger = await openLedger(tenant.href)
    expect(await ledger.counts()).toMatchObject({ events: 0 })
    expect(await ledger.accept(event(1))).toMatchObject({ duplicate: false })
    await ledger.close()
    expect(await dumpLedger(url)).toEqual(await dumpLedger(source))
  })

  it.skipIf(nginx === undefined || curl === undefined)(
    'replaces every process behind nginx without refusing or losing a delivery',
    async () => {
      const [upgrade = ''] = blocksUnder(['## Upgrades without downtime'])
      const units: Units = await startUnits(folder, {
        shared: { DATABASE_URL: url },
        receiver: { WEBHOOK_SECRETS: webhookSecret },
        // No service is there: the work stays due.
        worker: { API_BASE_URL: 'http://127.0.0.1:9', API_TOKEN: 'a-token' },
      })
      let proxy: Proxy | undefined
      try {
        await writeProgram('systemctl', `curl --silent --fail --data '' "${units.controlUrl}/$1/$2"`)
        const [config = ''] = blocksUnder(['## Reverse proxy and TLS'], 'nginx')
        proxy = await startProxy(nginx ?? '', config, folder, units.receiverPorts)
        const load = proxy.load()
        await run(upgrade)
        const answers = await load.stop()

        expect(units.exits()).toEqual({ 'receiver-1': [0], 'receiver-2': [0], worker: [0] })
        // 200: nginx asked the other receiver again, which knew the delivery.
        expect(answers.filter(({ status }) => status !== 202 && status !== 200)).toEqual([])
        expect(answers.length).toBeGreaterThan(50)
        const ledger = await openLedger(url)
        expect(await ledger.counts()).toMatchObject({ events: answers.length })
        await ledger.close()
        expect(await proxy.ask('GET', '/readyz')).toBe(404)
        expect(await proxy.ask('GET', '/metrics')).toBe(404)
        expect(await proxy.ask('GET', '/webhooks')).toBe(403)
      } finally {
        await proxy?.close()
        await units.close()
      }
    },
  )
})
