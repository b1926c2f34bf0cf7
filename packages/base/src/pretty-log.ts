import { prettyFactory } from 'pino-pretty'
import { showHidden } from './show-hidden.ts'
import { type LogLine, tellLine } from './tell-line.ts'

/** Formats a log line, with its line break; `undefined` for runs that changed nothing. Other text stays as it is. */
export type PrettyLog = (line: string) => string | undefined

/** Makes the terminal's formatter of pawl's log, on `pino-pretty`. `root`: a folder, with a trailing slash, that places in stacks are relative to. */
export function createPrettyLog({ isColoured, root = '' }: { isColoured: boolean; root?: string }): PrettyLog {
  /** The last printed state of each resource. */
  const states = new Map<string, string>()
  const format = prettyFactory({
    colorize: isColoured,
    translateTime: 'SYS:HH:MM:ss',
    hideObject: true,
    // The compiler cannot see that the lines are pawl's own.
    messageFormat: (line) => tellLine(line as unknown as LogLine, root),
  })

  return (text) => {
    const line = readLine(text)
    if (line === undefined) return `${showHidden(text)}\n`
    if (line.msg === 'handled' && !isNews(line)) return undefined
    return format(line)
  }

  /** Whether a run wrote something, or found a new state that is not printed yet. */
  function isNews({ resource_id: id = '', count, ...line }: LogLine): boolean {
    const { status, status_before, outcome, transfer, transfer_before } = line
    const state = [status, outcome, transfer].join(' ')
    const hasMoved = (status !== status_before || transfer !== transfer_before) && states.get(id) !== state
    if (count === 0 && !hasMoved) return false
    states.set(id, state)
    return true
  }
}

/** The line of the log, with hidden characters made visible; `undefined` for other text. */
function readLine(text: string): LogLine | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    // The compiler cannot see that such lines come from pawl's own log.
    const line = showAll(JSON.parse(text)) as LogLine
    return typeof line.msg === 'string' && typeof line.time === 'string' ? line : undefined
  } catch {
    return undefined
  }
}

function showAll(value: unknown): unknown {
  if (typeof value === 'string') return showHidden(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, showAll(each)]))
}
