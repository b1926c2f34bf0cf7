import type { Clock } from '../clock.ts'

/** The system's time: the sandbox shares nothing but types with the rest of pawl. */
export const systemClock: Clock = { now: () => Date.now() }

/** Sandbox time: the wall clock, run at a factor, that can be moved forward by hand. It never goes back. */
export interface SandboxClock extends Clock {
  /** Sandbox time now, as the resources' timestamps show it. */
  iso(): string
  /** Moves on to `time` (ms since 1970); does nothing when that is past. */
  moveTo(time: number): void
  /** Wall-clock milliseconds until sandbox time reaches `time`; Infinity when time stands still. */
  wallMsUntil(time: number): number
}

/** Makes a sandbox clock that starts at the wall clock's time and runs `speed` times as fast. */
export function createSandboxClock(deps: { speed: number; clock: Clock }): SandboxClock {
  const { speed, clock } = deps
  const start = clock.now()
  let moved = 0
  const now = () => Math.floor(start + (clock.now() - start) * speed + moved)
  return {
    now,
    iso: () => new Date(now()).toISOString(),
    moveTo: (time) => {
      moved += Math.max(0, time - now())
    },
    wallMsUntil: (time) => {
      const left = time - now()
      if (left <= 0) return 0
      return speed > 0 ? left / speed : Infinity
    },
  }
}
