import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../../base/src/clock.ts'
import { atTime } from '../at-time.ts'
import { createLedger } from '../../src/create-ledger.ts'
import type { Ledger } from '../../src/ledger.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import type { Storage } from '../../src/storage.ts'
import { until } from '../../../../test/support/until.ts'
import type { Note } from '../../src/hot/notes.ts'
import { describeOnEachStorage } from '../on-each-storage.ts'
import { aDelivery } from '../a-delivery.ts'

const [minuteMs, hourMs] = [60_000, 3_600_000]

/** The history of a ledger on any kind of storage. */
function describeTallies(open: () => Promise<Storage>) {
  let ledger: Ledger
  let now: number

  beforeEach(async () => {
    // At the start of a day.
    now = 24 * 20_000 * hourMs
    ledger = createLedger({ storage: { ...atTime(await open(), () => now), elapsed: () => now }, seal: createSeal([]) })
  })
  afterEach(() => ledger.close())

  async function hear(id: string, source: 'webhook' | 'poll' = 'webhook'): Promise<void> {
    await ledger.accept(aDelivery({ resourceId: id, body: { id, now }, source }))
  }

  /** Hears of a resource, and runs one handler, which takes `tookMs`, beside `others`. */
  async function run(id: string, tookMs: number, error?: string, others: readonly Note[] = []): Promise<void> {
    await hear(id)
    const claim = await ledger.claim(id, 1_000_000, {})
    if (claim === undefined) throw new Error(`${id} could not be claimed`)
    const [first, last] = [claim.newestEventId, claim.newestEventId]
    const times = { handler: 'chart', startedAt: now, finishedAt: now + tookMs, firstEventId: first, lastEventId: last }
    const note: Note =
      error === undefined
        ? { of: 'success', run: { ...times, writes: [] } }
        : { of: 'failure', run: { ...times, writes: [], error: { code: error, message: '' }, attempts: 1, delayMs: 1 } }
    await ledger.release(claim, { notes: [note, ...others], dueInMs: undefined, restMs: 0 })
  }

  const count = () => ledger.catchUp()
  const read = async (span: 'minute' | 'hour') =>
    (await ledger.tallies(span, 24 * hourMs))
      .map(({ at, name, value }) => `${new Date(at).toISOString().slice(11, 16)} ${name} ${value}`)
      .toSorted()

  it('keeps the total of events: counted ones, later ones, and none that retention deleted', async () => {
    const total = async () => (await ledger.counts()).events
    for (const id of ['pa_1', 'pa_2', 'pa_3']) await run(id, 1)
    now += minuteMs
    await count()
    await hear('pa_4')
    expect(await total()).toBe(4)
    now += 40 * 24 * hourMs
    await ledger.followClock(1_000)
    const keep = { keepMs: 24 * hourMs, parkedKeepMs: 24 * hourMs, reportKeepMs: 24 * hourMs }
    for (let cursor: number | undefined = 0; cursor !== undefined;) cursor = (await ledger.purge(keep, cursor)).cursor
    // The fourth is still due.
    expect(await total()).toBe(1)
    await count()
    expect(await total()).toBe(1)
  })

  it('counts deliveries, refusals and runs once each, by minute and by hour', async () => {
    await run('pa_1', 800)
    await run('pa_2', 200)
    ledger.reject({ reason: 'not_json', bytes: 1 })
    await until('it is recorded', async () => (await ledger.listRejections({}, 1)).length === 1)
    now += minuteMs
    await run('pa_3', 500, 'chart_locked')
    now += minuteMs
    await count()
    await count()
    expect(await read('minute')).toEqual([
      '00:00 delivered 2',
      '00:00 refused 1',
      '00:00 slowest_ms 800',
      '00:00 succeeded 2',
      '00:00 sync_ms 1000',
      '00:00 synced 2',
      '00:01 delivered 1',
      '00:01 failed 1',
    ])
    expect(await read('hour')).toContain('00:00 delivered 3')
  })

  it('returns the newest webhook, and when all its handlers caught up with it', async () => {
    expect(await ledger.newestDelivery()).toBeUndefined()
    await run('pa_1', 800)
    const receivedAt = now
    expect(await ledger.newestDelivery()).toEqual({ receivedAt, syncedAt: now + 800 })
    now += minuteMs
    await hear('pa_1', 'poll')
    expect(await ledger.newestDelivery()).toEqual({ receivedAt, syncedAt: receivedAt + 800 })
    now += minuteMs
    await run('pa_2', 100, 'chart_locked')
    expect(await ledger.newestDelivery()).toEqual({ receivedAt: now, syncedAt: undefined })
    const times = { startedAt: now, finishedAt: now + 50, firstEventId: 4, lastEventId: 4 }
    await run('pa_3', 100, 'chart_locked', [{ of: 'success', run: { handler: 'desk', ...times, writes: [] } }])
    expect(await ledger.newestDelivery()).toEqual({ receivedAt: now, syncedAt: undefined })
  })

  it('excludes waiting work from failures', async () => {
    await run('pa_1', 1, 'system_down')
    now += minuteMs
    await count()
    expect(await read('minute')).toEqual(['00:00 delivered 1'])
  })

  it('keeps the highest backlog of a minute, and minutes for a day', async () => {
    await ledger.noteBacklog({ due: 1, waiting: 5, parked: 0 })
    await ledger.noteBacklog({ due: 2, waiting: 3, parked: 0 })
    expect(await read('minute')).toEqual(['00:00 due 2', '00:00 parked 0', '00:00 waiting 5'])
    now += 26 * hourMs
    await hear('pa_1')
    await count()
    expect((await ledger.tallies('minute', 30 * hourMs)).map(({ name }) => name)).toEqual(['delivered'])
    expect(await ledger.tallies('hour', 30 * hourMs)).toHaveLength(4)
  })
}

describeOnEachStorage('the history', describeTallies, systemClock)
