import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Clock } from '../../../base/src/clock.ts'
import { openLedger } from '../../src/open-ledger.ts'

const hourMs = 3_600_000

/** Whether a ledger with this clock finds that it was set, when it jumps an hour ahead. */
async function findsJump(clockAt: (readJumpMs: () => number) => Clock): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-'))
  let jumpMs = 0
  const settings = { databaseUrl: `file:${join(folder, 'pawl.db')}`, sealingKeys: [] }
  const ledger = await openLedger(settings, { clock: clockAt(() => jumpMs), onError: () => {} })
  await ledger.followClock(1_000)
  jumpMs = hourMs
  const wasSet = await ledger.followClock(1_000)
  await ledger.close()
  await rm(folder, { recursive: true })
  return wasSet
}

it('a clock that jumps without monotonic time counts as set', async () => {
  expect(await findsJump((jumpMs) => ({ now: () => Date.now() + jumpMs() }))).toBe(true)
})

it('a clock that jumps together with monotonic time does not count as set', async () => {
  const clockAt = (jumpMs: () => number) => ({
    now: () => Date.now() + jumpMs(),
    elapsed: () => performance.now() + jumpMs(),
  })
  expect(await findsJump(clockAt)).toBe(false)
})
