/** The source of time, passed as a parameter so that tests can set it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Monotonic time in milliseconds. Default: the process's own. */
  elapsed?(): number
}

export const systemClock: Clock = { now: () => Date.now() }
