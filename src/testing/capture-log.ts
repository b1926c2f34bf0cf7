import { createLog, type Log } from '../base/log.ts'

/** A real log whose lines are kept instead of printed. */
export interface LogCapture {
  log: Log
  /** Parsed lines so far, oldest first. */
  lines(): Record<string, unknown>[]
  /** Everything that would have been printed. */
  text(): string
  clear(): void
}

/** As in production, unless foreign errors are to be shown. */
export function captureLog(level = 'debug', { showForeignErrors = false } = {}): LogCapture {
  let printed = ''
  const destination = { write: (line: string) => void (printed += line) }
  return {
    log: createLog({ level, showForeignErrors, destination }),
    // The compiler cannot see that pino prints one JSON object a line.
    lines: () =>
      printed.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>])),
    text: () => printed,
    clear: () => void (printed = ''),
  }
}
