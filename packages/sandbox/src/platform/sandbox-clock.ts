import type { Clock } from '@pawl/base/clock'

/** The system's time, declared here because the sandbox imports only types from outside. */
export const systemClock: Clock = { now: () => Date.now() }

/** Sandbox time: wall-clock time multiplied by a factor. Controls can advance it, never back. */
export interface SandboxClock extends Clock {
  /** Sandbox time now, in the format of resources' timestamps. */
  iso(): string
  /** Advances to `time` (ms since 1970); ignores a time in the past. */
  moveTo(time: number): void
  speed(): number
  /** Changes the factor from now on. */
  setSpeed(speed: number): void
  /** Wall-clock milliseconds until sandbox time reaches `time`; Infinity while time stands still. */
  wallMsUntil(time: number): number
}

/** Starts at `startsAt` (ms since 1970; default: the wall clock's time) and runs `speed` times as fast as the wall clock. */
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
