import { createLog, type Log, type LogOptions } from '@pawl/base/log'

/** A real log that collects its lines instead of printing them. */
export interface LogCapture {
  log: Log
  /** Parsed lines so far, oldest first. */
  lines(): Record<string, unknown>[]
  /** The whole output. */
  text(): string
  clear(): void
}

/** Logs as production does; `showForeignErrors` includes messages of foreign errors. */
export function captureLog(
  level = 'debug',
  options: Pick<LogOptions, 'showForeignErrors' | 'ownFields'> = {},
): LogCapture {
  let printed = ''
  const destination = { write: (line: string) => void (printed += line) }
  return {
    log: createLog({ level, ...options, destination }),
    // The compiler cannot see that pino prints one JSON object a line.
    lines: () =>
      printed.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>])),
    text: () => printed,
    clear: () => void (printed = ''),
  }
}
