import { describeError } from '@pawl/base/errors'
import type { Log } from '@pawl/base/log'
import type { Upkeep } from './create-upkeep.ts'
import type { LockViews } from '../views/lock-holders.ts'

/** Why and for how long the ledger has taken no writes. */
export interface WritesBlocked {
  forMs: number
  /** `locked`, `read_only`, `no_answer`, or the code of the database's error. */
  code: string
  /** The processes that hold a lock, as far as the database names them, such as `psql[4711]`. */
  by: readonly string[]
}

export interface WriteWatch {
  /** `undefined` while the ledger takes writes. */
  blocked(this: void): WritesBlocked | undefined
  close(this: void): void
}

const everyMs = 1_000
/** Looks at which a write is still waiting before that is a fault. Counted in looks, not in time: a stalled event loop counts once. */
const maxLooks = 2

/** Codes of a lock that was not granted: SQLite's, and PostgreSQL's with its limits of locks and statements. */
const lockCodes: ReadonlySet<string> = new Set(['SQLITE_BUSY', '55P03'])

/** Tries every second whether the ledger takes writes, by a write that changes nothing; logs once when it takes none, with the holder of the lock, and once when it recovers. */
export function watchWrites(deps: { ledger: Pick<Upkeep, 'tryWrite'> & LockViews; log: Log }): WriteWatch {
  const { ledger, log } = deps
  let looks = 0
  let isTrying = false
  let failure: string | undefined
  let found: { since: number; code: string; by: readonly string[] } | undefined
  let isClosed = false

  async function tryWrite(): Promise<void> {
    isTrying = true
    looks = 0
    try {
      await ledger.tryWrite()
      failure = undefined
    } catch (error) {
      failure = describeError(error).code
    }
    isTrying = false
  }

  async function look(): Promise<void> {
    if (isTrying) looks += 1
    else void tryWrite()
    const isBlocked = failure !== undefined || looks >= maxLooks
    if (isBlocked) await note()
    else if (found !== undefined) {
      found = undefined
      log.info({ component: 'ledger' }, 'the ledger takes writes again')
    }
  }

  async function note(): Promise<void> {
    const by = await ledger.lockHolders().catch(() => [])
    const code = by.length > 0 ? 'locked' : codeOf(failure)
    // Between two tries no holder may be seen.
    const isNews = found === undefined || (found.code !== code && code !== 'no_answer' && found.by.length === 0)
    if (!isNews || isClosed) return
    found = { since: found?.since ?? performance.now() - maxLooks * everyMs, code, by }
    log.error({ component: 'ledger', code, reason: by.join(',') }, lines[code] ?? 'the ledger takes no writes')
  }

  const timer = setInterval(() => void look(), everyMs).unref()
  return {
    blocked: () => found && { forMs: Math.round(performance.now() - found.since), code: found.code, by: found.by },
    close() {
      isClosed = true
      clearInterval(timer)
    },
  }
}

const lines: Readonly<Record<string, string>> = {
  locked: 'the ledger takes no writes: another process holds a lock on it, and must end its transaction',
  read_only: 'the ledger takes no writes: DATABASE_URL leads to a server that is read-only',
}

function codeOf(failure: string | undefined): string {
  if (failure === undefined) return 'no_answer'
  if (lockCodes.has(failure)) return 'locked'
  return failure === '25006' ? 'read_only' : failure
}
