import type { Log } from '@pawl/base/log'
import type { ReadDiskRoom } from './disk-room.ts'
import { type Rounds, startRounds } from './start-rounds.ts'

export interface WatchLogSizeDeps {
  readDiskRoom: ReadDiskRoom
  log: Log
  everyMs?: number
}

/** Warns of a write-ahead log that a long reader keeps from being emptied: once it is large, and whenever it has doubled. */
export function watchLogSize({ readDiskRoom, log, everyMs = 15_000 }: WatchLogSizeDeps): Rounds {
  let saidAt = 0
  return startRounds(async () => {
    const room = await readDiskRoom().catch(() => undefined)
    const bytes = room?.largeLogBytes
    if (bytes === undefined) saidAt = 0
    else if (bytes >= 2 * saidAt) {
      saidAt = bytes
      log.warn({ component: 'ledger', bytes }, "a long read keeps the ledger's write-ahead log from being emptied")
    }
    return everyMs
  })
}
