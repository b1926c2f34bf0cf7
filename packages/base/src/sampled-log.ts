import type { Log, LogFields } from './log.ts'

/** A log for messages that may come in floods. */
export interface SampledLog {
  /** Logs the first lines of each message and reason per second in full, and the number of the others in one line. */
  warn(fields: LogFields & { reason: string }, message: string): void
  /** Like `warn`, for errors of pawl or of its dependencies. */
  error(fields: LogFields & { reason: string }, message: string): void
  /** Logs the counts of the current second. */
  close(): void
}

export interface SampledLogDeps {
  log: Log
  /** Lines of one message and reason logged in full per second. */
  perSecond?: number
}

type Level = 'warn' | 'error'

interface Kind {
  level: Level
  fields: LogFields
  message: string
  seen: number
}

/** Keeps a flood of refusals, or of deliveries while the ledger is down, from filling the disk. An hour of it costs some thousand lines, not gigabytes. */
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
