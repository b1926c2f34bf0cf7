import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countRuns, expectOrderly, readJournal } from '../faults/journal.ts'
import { startFaultWorld, type FaultWorld } from '../faults/fault-world.ts'
import { openLedgerRows, untilNothingIsDue } from '../support/ledger-rows.ts'
import { freePort, type PawlProcess } from '../support/spawn-pawl.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { deliverCopies } from './deliver-copies.ts'

const resources = 5
const waves = 20
const deliveriesPerWave = 20
const copies = 20
const leaseMs = 60_000

describe('two processes on one ledger', () => {
  let world: FaultWorld
  let urls: string[]
  let processes: PawlProcess[]

  beforeAll(async () => {
    // Where the machine holds a process up for longer than a lease, the other one may take over.
    world = await startFaultWorld({
      seed: 1,
      env: {
        REST_MS: '1',
        LEASE_MS: String(leaseMs),
        SWEEP_INTERVAL_MS: '20',
        WORK_MS: '3',
        HANDLER_TIMEOUT_MS: '60000',
      },
    })
    const ports = [await freePort(), await freePort()]
    urls = ports.map((port) => `http://127.0.0.1:${port}`)
    processes = await Promise.all(ports.map((port) => world.start('all', { env: { PORT: String(port) } })))
  })
  afterAll(async () => {
    expect(await Promise.all(processes.map((pawl) => pawl.end('SIGTERM')))).toEqual([0, 0])
    await world.close()
  })

  it('never claim one resource at once', async () => {
    for (let wave = 0; wave < waves; wave += 1) {
      await Promise.all(
        Array.from({ length: deliveriesPerWave }, async (_, n) => {
          const url = urls[n % urls.length] ?? ''
          const answer = await deliver(url, envelope({ id: `pa_req_${n % resources}`, status: 'hint', n, wave }))
          expect(answer.status).toBe(202)
        }),
      )
    }
    const ledger = await openLedgerRows(world.databaseUrl)
    await untilNothingIsDue(ledger)
    await ledger.close()
    const lines = readJournal(world.journalPath)
    expectOrderly(lines, { leaseMs, mayOverlap: () => false })
    const runs = [...countRuns(lines).values()].reduce((sum, count) => sum + count, 0)
    // The check means something only if there was something to collide on.
    expect(runs).toBeGreaterThan(resources * 2)
  })

  it('store copies that both receive at once as one event, and count the rest as duplicates', async () => {
    const ledger = await openLedgerRows(world.databaseUrl)
    for (let round = 0; round < 10; round++) {
      const id = `pa_req_copied_${round}`
      const answers = await deliverCopies(urls, envelope({ id, status: 'processing' }), copies)
      expect(answers).toEqual({ 202: 1, 200: copies - 1 })
      const stored = await ledger.ask(`select repeats from events where resource_id = '${id}'`)
      expect(stored).toEqual([{ repeats: copies - 1 }])
    }
    await ledger.close()
  })
})
