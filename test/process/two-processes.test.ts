import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, type PawlProcess, spawnPawl } from '../support/spawn-pawl.ts'
import { testEnvironment } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { deliverCopies } from './deliver-copies.ts'
import { readJournal } from './journal.ts'

const resources = 5
const waves = 20
const deliveriesPerWave = 20
const copies = 20

describe('two processes on one ledger', () => {
  let databasePath: string
  let journal: string
  let urls: string[]
  let processes: PawlProcess[]

  beforeAll(async () => {
    // Where the machine holds a process up for longer than a lease, the other one may take over.
    const shared = await testEnvironment({ REST_MS: '1', LEASE_MS: '60000', LOG_LEVEL: 'info' })
    databasePath = shared.DATABASE_URL?.slice('file:'.length) ?? ''
    journal = join(dirname(databasePath), 'journal')
    const ports = [await freePort(), await freePort()]
    urls = ports.map((port) => `http://127.0.0.1:${port}`)
    processes = ports.map((port) =>
      spawnPawl(
        { ...shared, PORT: String(port), JOURNAL: journal, SWEEP_INTERVAL_MS: '20' },
        'test/process/overlap-main.ts',
      ),
    )
    await Promise.all(processes.map((pawl) => pawl.ready()))
  })
  afterAll(async () => {
    for (const { child } of processes) child.kill('SIGTERM')
    expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual([0, 0])
    await rm(dirname(databasePath), { recursive: true })
  })

  it('never work on one resource at once', async () => {
    for (let wave = 0; wave < waves; wave += 1) {
      await Promise.all(
        Array.from({ length: deliveriesPerWave }, async (_, n) => {
          const url = urls[n % urls.length] ?? ''
          const answer = await deliver(url, envelope({ id: `pa_req_${n % resources}`, status: 'hint', n, wave }))
          expect(answer.status).toBe(202)
        }),
      )
    }
    const database = new Database(databasePath, { readonly: true })
    const due = database.prepare('select count(*) from resources where due_at is not null').pluck()
    await until('nothing is due', () => due.get() === 0)
    database.close()
    const runs = [...(await readJournal(journal)).values()].reduce((sum, count) => sum + count, 0)
    // The check means something only if there was something to collide on.
    expect(runs).toBeGreaterThan(resources * 2)
  })

  it('store a delivery of which both get copies at once as one event, and count the rest as duplicates', async () => {
    const database = new Database(databasePath, { readonly: true })
    const stored = database.prepare('select repeats from events where resource_id = ?').pluck()
    for (let round = 0; round < 10; round++) {
      const id = `pa_req_copied_${round}`
      const answers = await deliverCopies(urls, envelope({ id, status: 'processing' }), copies)
      expect(answers).toEqual({ 202: 1, 200: copies - 1 })
      expect(stored.all(id)).toEqual([copies - 1])
    }
    database.close()
  })
})
