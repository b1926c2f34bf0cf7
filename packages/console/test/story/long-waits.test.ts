import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLedger } from '../../../ledger/src/create-ledger.ts'
import type { Ledger } from '../../../ledger/src/ledger.ts'
import type { Storage } from '../../../ledger/src/storage.ts'
import { createSeal } from '../../../ledger/src/sealing/seal.ts'
import { aDelivery } from '../../../ledger/test/a-delivery.ts'
import { atTime } from '../../../ledger/test/at-time.ts'
import { describeOnEachStorage } from '../../../ledger/test/on-each-storage.ts'
import type { HistoryCursor } from '../../../ledger/src/views/read-history.ts'
import { readCursor } from '../../src/contract/cursor.ts'
import { StoryCursor, type StoryEntry } from '../../src/contract/story.ts'
import { createReadStory } from '../../src/story/read-story.ts'

/** Tests of stories with long waits, on any kind of storage. */
function describeLongWaits(open: () => Promise<Storage>) {
  let ledger: Ledger
  let now: number

  beforeEach(async () => {
    now = Date.UTC(2026, 0, 31, 8)
    ledger = createLedger({ storage: { ...atTime(await open(), () => now), elapsed: () => now }, seal: createSeal([]) })
  })
  afterEach(() => ledger.close())

  /** Hears of the resource, then lets two handlers try in vain so many times, every 15 seconds. */
  async function waitLong(tries: number): Promise<void> {
    now += 1_000
    await ledger.accept(aDelivery({ resourceId: 'pa_req_1', body: { now } }))
    const claim = await ledger.claim('pa_req_1', 24 * 3_600_000, {})
    if (claim === undefined) throw new Error('It could not be claimed.')
    for (let tried = 0; tried < tries; tried += 1) {
      now += 15_000
      const error = { code: 'system_down', message: `Away for ${tried}.`, system: 'ehr' }
      const run = { startedAt: now, finishedAt: now, firstEventId: 1, lastEventId: 1, writes: [], error }
      await ledger.record(
        claim,
        ['chart', 'desk'].map((handler) => ({ of: 'failure', run: { ...run, handler, attempts: 0, delayMs: 1 } })),
      )
    }
    await ledger.release(claim, { notes: [], restMs: 0, dueInMs: 0 })
  }

  const tell = (entry: StoryEntry) =>
    entry.kind === 'run' ? `${entry.handler} ${entry.result} for ${entry.waitsFor}, ${entry.times} times` : entry.kind

  it('tell the webhooks before and during an outage, and each wait once', async () => {
    const before = now
    await waitLong(300)
    await waitLong(3)
    const story = await createReadStory({ ledger, linkTo: () => undefined })('pa_req_1', { limit: 10 })
    expect(story?.entries.map(tell)).toEqual([
      'delivery',
      'chart waited for ehr, 300 times',
      'desk waited for ehr, 300 times',
      'delivery',
      'chart waited for ehr, 3 times',
      'desk waited for ehr, 3 times',
    ])
    expect(story?.before).toBeUndefined()
    const first = {
      since: new Date(before + 16_000).toISOString(),
      at: new Date(before + 1_000 + 300 * 15_000).toISOString(),
    }
    expect(story?.entries[1]).toMatchObject(first)
  })

  it('come in parts that hold each row once', async () => {
    for (let outage = 0; outage < 6; outage += 1) await waitLong(40)
    const readStory = createReadStory({ ledger, linkTo: () => undefined })
    const entries: StoryEntry[] = []
    for (let before: HistoryCursor | undefined; ;) {
      const part = await readStory('pa_req_1', { limit: 2, before })
      expect(part?.entries.length).toBeLessThanOrEqual(2)
      entries.unshift(...(part?.entries ?? []))
      before = readCursor(StoryCursor, part?.before)
      if (before === undefined) break
    }
    expect(entries.filter(({ kind }) => kind === 'delivery')).toHaveLength(6)
    const tries = entries.reduce((sum, entry) => sum + (entry.kind === 'run' ? entry.times : 0), 0)
    expect(tries).toBe(6 * 2 * 40)
  })
}

describeOnEachStorage('stories of long waits', describeLongWaits)
