import type { Log, LogFields } from '../base/log.ts'

/** A log for what may come in floods. */
export interface SampledLog {
  /** Logs the first lines of each message and reason of a second in full, and the others together as one line with their count. */
  warn(fields: LogFields & { reason: string }, message: string): void
  /** The same for what is an error of pawl or of what it depends on. */
  error(fields: LogFields & { reason: string }, message: string): void
  /** Logs the counts of the second that has begun. */
  close(): void
}

export interface SampledLogDeps {
  log: Log
  /** Lines of one message and reason that are logged in full each second. */
  perSecond?: number
}

type Level = 'warn' | 'error'

interface Kind {
  level: Level
  fields: LogFields
  message: string
  seen: number
}

/** Keeps a flood of refusals, or of deliveries while the ledger is away, from filling the disk with lines: an hour of it costs some thousand lines, not gigabytes. */
export function createSampledLog({ log, perSecond = 3 }: SampledLogDeps): SampledLog {
  const kinds = new Map<string, Kind>()
  let timer: NodeJS.Timeout | undefined

  function sum(): void {
    clearTimeout(timer)
    timer = undefined
    for (const { level, fields, message, seen } of kinds.values())
      if (seen > perSecond)
        log[level]({ ...fields, count: seen - perSecond }, `${message} (as many more as count says)`)
    kinds.clear()
  }

  function note(level: Level, fields: LogFields, message: string): void {
    timer ??= setTimeout(sum, 1_000).unref()
    const { reason, status, code } = fields
    const key = [message, reason, code].join('\n')
    const kind = kinds.get(key) ?? { level, fields: { reason, status, code }, message, seen: 0 }
    kinds.set(key, kind)
    kind.seen += 1
    if (kind.seen <= perSecond) log[level](fields, message)
  }

  return {
    warn: (fields, message) => note('warn', fields, message),
    error: (fields, message) => note('error', fields, message),
    close: sum,
  }
}
