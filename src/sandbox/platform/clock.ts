import type { Clock } from '../../base/clock.ts'

/** The system's time. The sandbox imports only types from outside, so it has its own. */
export const systemClock: Clock = { now: () => Date.now() }

/** Sandbox time: wall-clock time multiplied by a factor, which controls can advance. It never goes back. */
export interface SandboxClock extends Clock {
  /** Sandbox time now, as the resources' timestamps show it. */
  iso(): string
  /** Advances to `time` (ms since 1970); does nothing when that is in the past. */
  moveTo(time: number): void
  speed(): number
  /** Changes the factor from now on. */
  setSpeed(speed: number): void
  /** Wall-clock milliseconds until sandbox time reaches `time`; Infinity when time stands still. */
  wallMsUntil(time: number): number
}

/** Creates a sandbox clock that starts at `startsAt` (ms since 1970; default: the wall clock's time) and runs `speed` times as fast. */
export function createSandboxClock(deps: { speed: number; clock: Clock; startsAt?: number | undefined }): SandboxClock {
  const { clock } = deps
  let speed = deps.speed
  let wall = clock.now()
  let time = deps.startsAt ?? wall
  const now = () => Math.floor(time + (clock.now() - wall) * speed)
  const setTo = (next: number) => {
    time = next
    wall = clock.now()
  }
  return {
    now,
    iso: () => new Date(now()).toISOString(),
    moveTo: (next) => {
      if (next > now()) setTo(next)
    },
    speed: () => speed,
    setSpeed: (next) => {
      setTo(now())
      speed = next
    },
    wallMsUntil: (next) => {
      const left = next - now()
      if (left <= 0) return 0
      return speed > 0 ? left / speed : Infinity
    },
  }
}
