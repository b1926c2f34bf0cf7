import type { Log, LogFields } from '../log.ts'

/** A log for what may come in floods. */
export interface SampledLog {
  /** Logs the first lines of each message and reason of a second in full, and the others together as one line with their count. */
  warn(fields: LogFields & { reason: string }, message: string): void
  /** Logs the counts of the second that has begun. */
  close(): void
}

export interface SampledLogDeps {
  log: Log
  /** Lines of one message and reason that are logged in full each second. */
  perSecond?: number
}

interface Kind {
  fields: LogFields
  message: string
  seen: number
}

/** Keeps a flood of refusals from filling the disk with lines: an hour of it costs some thousand lines, not gigabytes. */
export function createSampledLog({ log, perSecond = 3 }: SampledLogDeps): SampledLog {
  const kinds = new Map<string, Kind>()
  let timer: NodeJS.Timeout | undefined

  function sum(): void {
    clearTimeout(timer)
    timer = undefined
    for (const { fields, message, seen } of kinds.values())
      if (seen > perSecond) log.warn({ ...fields, count: seen - perSecond }, `${message} (as many more as count says)`)
    kinds.clear()
  }

  return {
    warn(fields, message) {
      timer ??= setTimeout(sum, 1_000).unref()
      const { reason, status, code } = fields
      const key = [message, reason, code].join('\n')
      const kind = kinds.get(key) ?? { fields: { reason, status, code }, message, seen: 0 }
      kinds.set(key, kind)
      kind.seen += 1
      if (kind.seen <= perSecond) log.warn(fields, message)
    },
    close: sum,
  }
}
