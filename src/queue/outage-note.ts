import { describeError } from '@pawl/base/errors'
import type { Log } from '@pawl/base/log'

/** Since when and why the queue's server does not answer. */
export interface QueueOutage {
  forMs: number
  code: string
}

/** Logs the start and the end of an outage once each, regardless of failed calls in between. */
export interface OutageNote {
  down(this: void, error: unknown): void
  up(this: void): void
  /** The current outage; `undefined` while the server answers. */
  read(this: void): QueueOutage | undefined
}

/** `setting`: the setting that names the server. */
export function createOutageNote(log: Log, setting: 'QUEUE_URL' | 'DATABASE_URL'): OutageNote {
  let found: { since: number; code: string } | undefined
  return {
    down(error) {
      if (found === undefined)
        log.warn({ component: 'queue', error }, `queue unavailable: the sweeper takes over until ${setting} answers`)
      const { code } = describeError(error)
      const { since, code: before } = found ?? { since: performance.now(), code }
      // A client that gives up says less than the connection that failed before.
      found = { since, code: code === 'unexpected' ? before : code }
    },
    up() {
      if (found !== undefined) log.info({ component: 'queue' }, 'queue available again')
      found = undefined
    },
    read: () => found && { forMs: Math.round(performance.now() - found.since), code: found.code },
  }
}
