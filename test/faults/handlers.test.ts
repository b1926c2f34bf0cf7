import { afterEach, beforeEach, expect, it } from 'vitest'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Sqlite } from '../../packages/base/src/sqlite.ts'
import type { PawlProcess } from '../support/spawn-pawl.ts'
import { until } from '../support/until.ts'
import { envelope } from '../support/webhook.ts'
import { expectAftermath } from './expect-aftermath.ts'
import { readJournal } from './journal.ts'
import { openLedgerRows } from '../support/ledger-rows.ts'
import type { Mood } from '../support/played-service.ts'
import { startFaultWorld, type FaultWorld } from './fault-world.ts'

let world: FaultWorld
beforeEach(async () => {
  world = await startFaultWorld({ seed: 8 })
})
afterEach(() => world.close())

const runsOf = (id: string) => readJournal(world.journalPath).filter((line) => line.note === 'begin' && line.id === id)

interface HoldUp {
  handler: string
  duration_ms: number
}

function holdUps(pawl: PawlProcess): HoldUp[] {
  // The last line may be half written.
  const lines = pawl.output().split('\n').slice(0, -1)
  // That line has these fields.
  return lines.filter((line) => line.includes('the event loop was held up')).map((line) => JSON.parse(line) as HoldUp)
}

// A machine that stops for a moment is seen, too, but not for so long.
const isByChart = ({ handler, duration_ms: holdMs }: HoldUp) => handler === 'chart' && holdMs > 3_000

it('a handler that never returns is aborted after its timeout, and its resource is retried', async () => {
  await world.start('all')
  world.service.change('pa_req_hangs')
  await world.load({ resources: 10, forMs: 1_000 })
  // The run that never returns never ends in the journal either.
  await expectAftermath(world, { mayOverlap: (id) => id === 'pa_req_hangs' })
  expect(runsOf('pa_req_hangs').length).toBeGreaterThanOrEqual(2)
})

it('a handler that blocks the event loop is named in the log, loses its lease, and its late results are rejected', async () => {
  // All that the same process has in work is held up as well; the other process hears of it only through the ledger.
  const env = { BLOCK_MS: '4000' }
  const workers = await Promise.all([world.start('worker', { env }), world.start('worker', { env })])
  await world.start('receiver')
  const load = world.load({ resources: 20, forMs: 2_000 })
  await sleep(300)
  world.service.change('pa_req_blocks')
  await load
  await until('the lease is lost', () => workers.some((pawl) => pawl.output().includes('"claim lost"')))
  await until('the log names the handler', () => workers.some((pawl) => holdUps(pawl).some(isByChart)))
  await expectAftermath(world, { mayOverlap: () => true })
  expect(runsOf('pa_req_blocks').length).toBeGreaterThanOrEqual(2)
})

it('a poison resource is parked with a reason, and the healthy ones beside it succeed', async () => {
  await world.start('all', { env: { RETRY_ATTEMPTS: '6', API_TIMEOUT_MS: '5000' } })
  const moods = new Map<string, Mood>([
    ['pa_req_sick', '500'],
    ['pa_req_odd', 'odd'],
    ['pa_req_deep', 'deep'],
  ])
  world.service.mood = (id) => moods.get(id) ?? 'well'
  const load = world.load({ resources: 20, forMs: 2_500 })
  const parked = ['pa_req_throws', ...moods.keys()]
  for (const id of parked) world.service.change(id)
  // The body is poison, the resource is not.
  world.service.change('pa_req_body')
  void world.service.send(
    JSON.stringify(envelope({ id: 'pa_req_body', deep: 0 })).replace('0', '['.repeat(60) + ']'.repeat(60)),
  )
  await load
  await expectAftermath(world, { parked })
})

it('a resource that crashes every process is parked after a few, alone', async () => {
  await world.start('receiver')
  world.service.change('pa_req_kills')
  await world.load({ resources: 20, forMs: 500 })
  const ledger = await openLedgerRows(world.databaseUrl)
  const parked = () =>
    ledger.ask("select id, error_code from work join resources on number = resource where state = 'parked'")
  const isParked = async () => (await parked()).length > 0
  let ended = 0
  while (!(await isParked())) {
    const pawl = await world.start('worker').catch((error: unknown) => {
      // It may end before it can say that it runs.
      if (!String(error).includes('it ended early')) throw error
    })
    const hasEnded = () => pawl === undefined || pawl.child.signalCode !== null
    await until('the process has ended, or will not', async () => hasEnded() || isParked())
    if (hasEnded()) ended += 1
  }
  expect(await parked()).toEqual([{ id: 'pa_req_kills', error_code: 'never_given_back' }])
  await ledger.close()
  // Once in company, which proves nothing, and five times alone. A machine that stands still for as long as the lease loses a claim, too.
  expect([4, 5, 6]).toContain(ended)
  await expectAftermath(world, { parked: ['pa_req_kills'] })
})

it('work sealed with a lost key is parked with a reason, without harm to the rest', async () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)]
  const withKeys = (...keys: Buffer[]) =>
    world.start('all', { env: { SEALING_KEYS: keys.map((key) => key.toString('base64')).join(',') } })
  const first = await withKeys(old)
  world.service.change('pa_req_sealed')
  await expectAftermath(world, { sealingKeys: [old] })
  expect(await first.end('SIGTERM')).toBe(0)
  // Without it from one day to the next, nothing would be recognised: pawl does not start.
  await expect(withKeys(fresh)).rejects.toThrow(
    /digest_key\.stored was sealed with a key that SEALING_KEYS no longer lists/,
  )
  // Its start seals the key of digests anew; `pawl keys rotate`, which would do the rest, is forgotten.
  expect(await (await withKeys(fresh, old)).end('SIGTERM')).toBe(0)
  const second = await withKeys(fresh)
  world.service.change('pa_req_sealed')
  await world.load({ resources: 10, forMs: 500 })
  await expectAftermath(world, { parked: ['pa_req_sealed'], sealingKeys: [fresh] })
  const database = new Sqlite(world.databaseUrl.slice('file:'.length), { readonly: true })
  expect(database.prepare("select error_code from work where state = 'parked'").pluck().all()).toEqual(['seal_broken'])
  database.close()
  expect(second.output()).not.toContain('work interrupted')
})
