import { PawlError, retryOf } from '../../packages/base/src/errors.ts'
import { createRandom } from '../../packages/sandbox/src/platform/random.ts'
import { createBreaker } from '../../src/systems/breaker.ts'
import { callThrough } from './call-through.ts'
import { SystemDown } from '../../src/systems/system-down.ts'
import { retryDelayMs } from '../../src/work/retry.ts'

/** Fate of one resource: when it passed or was parked, and its errors on the way. */
export interface Fate {
  passedAt?: number
  parkedAt?: number
  attempts: number
  /** The last of them; costless waits are only counted. */
  told: string[]
  waits: number
}

export interface Simulated {
  /** When each resource first has work, in milliseconds. */
  startsAt: ReadonlyMap<string, number>
  /** The system's answer: an error, or undefined for success. */
  answer: (resourceId: string, now: number) => Error | undefined
  /** Stops here, however many are left. */
  untilMs: number
  seed?: number
}

export const cooldownMs = 15_000
const policy = { maxAttempts: 15, baseMs: 2_000, maxMs: 3_600_000 }

/** Work on resources behind one breaker with the settings that pawl has by itself, in a time of its own: failed work comes back when its retry is due. */
export async function simulate({ startsAt, answer, untilMs, seed = 1 }: Simulated) {
  const random = createRandom(seed)
  let now = 0
  let calls = 0
  const openings: number[] = []
  const closings: number[] = []
  const breaker = createBreaker({
    system: 'ehr',
    cooldownMs,
    elapsed: () => now,
    onAway() {
      if (openings.length === closings.length) openings.push(now)
    },
    onBack: () => void closings.push(now),
  })
  const fates = new Map<string, Fate>([...startsAt.keys()].map((id) => [id, { attempts: 0, told: [], waits: 0 }]))
  const due = new Map(startsAt)
  for (;;) {
    const next = [...due].reduce((first, each) => (each[1] < first[1] ? each : first), ['', Infinity])
    const [id, at] = next
    const fate = fates.get(id)
    if (fate === undefined || at > untilMs) return { fates, openings, closings, calls: () => calls }
    now = at
    due.delete(id)
    try {
      await callThrough(breaker, id, () => {
        calls += 1
        const error = answer(id, now)
        return error === undefined ? Promise.resolve() : Promise.reject(error)
      })
      fate.passedAt = now
    } catch (error) {
      const isFree = error instanceof PawlError && !error.costsAttempt
      if (!isFree) fate.attempts += 1
      if (error instanceof SystemDown && isFree) fate.waits += 1
      else fate.told.push(error instanceof PawlError ? error.code : 'unexpected')
      const delayMs = retryDelayMs(isFree ? 1 : fate.attempts, retryOf(error), policy, () => random.next())
      if (delayMs === undefined) fate.parkedAt = now
      else due.set(id, now + delayMs)
    }
  }
}
