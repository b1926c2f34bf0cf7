import { afterEach, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { expectAftermath } from './expect-aftermath.ts'
import { readJournal } from './journal.ts'
import { startFaultWorld, type FaultWorld } from './fault-world.ts'

const resources = 500
const graceMs = 300

let world: FaultWorld
afterEach(() => world.close())

it('SIGTERM amid 500 resources exits 0 within the grace period, and the next process does the rest', async () => {
  world = await startFaultWorld({ seed: 9, env: { SHUTDOWN_GRACE_MS: String(graceMs), WORK_MS: '250' } })
  const first = await world.start('all')
  for (let n = 0; n < resources; n += 1) world.service.change(`pa_req_${n}`)
  const written = () => readJournal(world.journalPath).filter(({ note }) => note === 'wrote').length
  await until('some are done', () => written() > 50)
  const askedAt = performance.now()
  expect(await first.end('SIGTERM')).toBe(0)
  // The grace is for handlers; closing listeners and the ledger takes its time, too. All that was due would have taken longer.
  expect(performance.now() - askedAt).toBeLessThan(graceMs + 10_000)
  const done = new Set(readJournal(world.journalPath).flatMap(({ note, id }) => (note === 'wrote' ? [id] : [])))
  expect(done.size).toBeLessThan(resources)
  await world.start('all', { env: { WORK_MS: '5' } })
  await expectAftermath(world)
})
