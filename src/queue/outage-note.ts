import type { Log } from '../log.ts'

/** Says once that the queue went away and once that it came back, however many calls fail in between. */
export interface OutageNote {
  down(this: void, error: unknown): void
  up(this: void): void
}

export function createOutageNote(log: Log): OutageNote {
  let isDown = false
  return {
    down(error) {
      if (!isDown)
        log.warn({ component: 'queue', error }, 'queue unavailable: the sweeper takes over until QUEUE_URL answers')
      isDown = true
    },
    up() {
      if (isDown) log.info({ component: 'queue' }, 'queue available again')
      isDown = false
    },
  }
}
