import { expect, it, vi } from 'vitest'
import { startRetention } from '../../src/upkeep/retention.ts'
import { captureLog } from '../../../../test/support/log-capture.ts'
import { until } from '../../../../test/support/until.ts'
import type { PurgeStep } from '../../src/upkeep/purge.ts'
import type { Wiped } from '../../src/storage.ts'

const dayMs = 86_400_000
const keep = { keepMs: 30 * dayMs, parkedKeepMs: 365 * dayMs, reportKeepMs: 400 * dayMs }
const nothingPurged: PurgeStep = {
  cursor: undefined,
  looked: 0,
  deliveries: 0,
  dueBodies: 0,
  parkedBodies: 0,
  snapshots: 0,
  baselines: 0,
  effects: 0,
  notices: 0,
  outcomes: 0,
}

// In a process of its own: timers that others set meanwhile would stay faked for ever, and theirs would be counted here.
it('retention runs every hour until it is closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    let rounds = 0
    const purge = () => {
      rounds++
      return Promise.resolve(nothingPurged)
    }
    const retention = startRetention({
      ledger: { purge, wipe: () => Promise.resolve('wiped') },
      keep,
      log: captureLog().log,
    })
    for (let expected = 1; expected <= 3; expected++) {
      await until('the end of a round', () => vi.getTimerCount() === 1)
      vi.advanceTimersByTime(3_599_999)
      expect(rounds).toBe(expected)
      if (expected < 3) vi.advanceTimersByTime(1)
    }
    await retention.close()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

it('retention tries again a minute later if a reader kept deleted rows in the log', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const wiped: Wiped[] = []
    const wipe = () => {
      const result = wiped.length === 0 ? 'busy' : 'wiped'
      wiped.push(result)
      return Promise.resolve<Wiped>(result)
    }
    const purge = () => Promise.resolve(nothingPurged)
    const retention = startRetention({ ledger: { purge, wipe }, keep, log: captureLog().log })
    await until('the first round', () => wiped.length === 1 && vi.getTimerCount() === 1)
    vi.advanceTimersByTime(60_000)
    await until('the second round', () => wiped.length === 2 && vi.getTimerCount() === 1)
    vi.advanceTimersByTime(60_000)
    expect(wiped).toEqual(['busy', 'wiped'])
    await retention.close()
  } finally {
    vi.useRealTimers()
  }
})
