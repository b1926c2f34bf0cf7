import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { freePort, spawnPawl } from '../support/spawn-pawl.ts'
import { testEnvironment } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { readJournal } from './journal.ts'

const resources = 5
const waves = 20
const deliveriesPerWave = 20

it('two processes on one ledger never work on one resource at once', async () => {
  // Where the machine holds a process up for longer than a lease, the other one may take over.
  const shared = await testEnvironment({ REST_MS: '1', LEASE_MS: '60000', LOG_LEVEL: 'info' })
  const databasePath = shared.DATABASE_URL?.slice('file:'.length) ?? ''
  const journal = join(dirname(databasePath), 'journal')
  const ports = [await freePort(), await freePort()]
  const processes = ports.map((port) =>
    spawnPawl(
      { ...shared, PORT: String(port), JOURNAL: journal, SWEEP_INTERVAL_MS: '20' },
      'test/process/overlap-main.ts',
    ),
  )
  await Promise.all(processes.map((pawl) => pawl.ready()))

  for (let wave = 0; wave < waves; wave += 1) {
    await Promise.all(
      Array.from({ length: deliveriesPerWave }, async (_, n) => {
        const url = `http://127.0.0.1:${ports[n % ports.length]}`
        const answer = await deliver(url, envelope({ id: `pa_req_${n % resources}`, status: 'hint', n, wave }))
        expect(answer.status).toBe(202)
      }),
    )
  }
  const database = new Database(databasePath, { readonly: true })
  const due = database.prepare('select count(*) from resources where due_at is not null').pluck()
  await until('nothing is due', () => due.get() === 0)
  database.close()
  for (const { child } of processes) child.kill('SIGTERM')
  expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual([0, 0])

  const runs = [...(await readJournal(journal)).values()].reduce((sum, count) => sum + count, 0)
  // The check means something only if there was something to collide on.
  expect(runs).toBeGreaterThan(resources * 2)
  await rm(dirname(databasePath), { recursive: true })
})
