/** Where time comes from, as a parameter, so that tests can set it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds that have passed since some moment, however the clock is set; absent: as the process counts them. */
  elapsed?(): number
}

export const systemClock: Clock = { now: () => Date.now() }
