import { showHidden } from './show-hidden.ts'
import { prettyFactory, type PrettyOptions } from 'pino-pretty'

/** The colours that pino-pretty paints with. */
type Colors = Parameters<Extract<PrettyOptions['messageFormat'], (...args: never[]) => unknown>>[3]['colors']

/** The log fields with a fixed position in a readable line; all others follow by name. */
interface Line {
  level: string
  time: string
  msg: string
  resource_id?: string
  handler?: string
  event_id?: number
  event_type?: string
  status?: string | number
  status_before?: string
  outcome?: string
  transfer?: string
  transfer_before?: string
  wrote?: string
  count?: number
  attempt?: number
  retry_in_ms?: number
  duration_ms?: number
  bytes?: number
  error?: { code: string; message: string; foreign?: { message: string; stack?: string } }
  [field: string]: unknown
}

const idWidth = 26
/** As wide as the longest name of a shipped handler. */
const handlerWidth = 34

/** Formats a line of the log, with its line break; `undefined` for runs that changed nothing. Other text stays unchanged. */
export type PrettyLog = (line: string) => string | undefined

/** Makes the formatter of pawl's log for a terminal. */
export function createPrettyLog({ isColoured }: { isColoured: boolean }): PrettyLog {
  const format = prettyFactory({
    colorize: isColoured,
    ignore: 'time,level,pid,hostname',
    hideObject: true,
    customColors: 'message:reset',
    errorLikeObjectKeys: [],
    // The compiler cannot see that the lines come from pawl's own log.
    messageFormat: (line, _key, _label, { colors }) => describe(shown(line) as Line, colors),
  })
  return (text) => {
    if (isNoOp(text)) return undefined
    return format(text)
  }
}

/** The same value with hidden characters in its texts made visible. */
function shown(value: unknown): unknown {
  if (typeof value === 'string') return showHidden(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shown(each)]))
}

function isNoOp(text: string): boolean {
  if (!text.includes('"handled"')) return false
  try {
    // As above.
    const { msg, count } = JSON.parse(text) as Line
    return msg === 'handled' && count === 0
  } catch {
    return false
  }
}

function describe(line: Line, colors: Colors): string {
  const { time, resource_id: id, handler, error } = line
  const clock = colors.dim(new Date(time).toTimeString().slice(0, 8))
  const about = id === undefined ? [] : [id.padEnd(idWidth), colors.blue((handler ?? 'pawl').padEnd(handlerWidth))]
  const told = error === undefined ? tell(line, colors) : tellFailure(line, error, colors)
  return [clock, ...about, told].join('  ').trimEnd()
}

function tell(line: Line, colors: Colors): string {
  const { level, msg, event_type: type, status } = line
  if (msg === 'delivery') return colors.dim(`webhook ${type}${status === 'duplicate' ? ', a copy: nothing to do' : ''}`)
  if (msg === 'handled') return tellRun(line, colors)
  const text = level === 'warn' ? colors.yellow(msg) : level === 'error' ? colors.red(msg) : msg
  return `${text}${colors.dim(others(line))}`
}

function tellRun({ status_before, status, outcome, transfer_before, transfer, wrote }: Line, colors: Colors): string {
  const state = fromTo(status_before, status?.toString())
  const parts = [
    outcome === undefined ? state : `${state} (${colors.bold(outcome)})`,
    transfer === undefined ? '' : `transfer ${fromTo(transfer_before, transfer)}`,
    wrote === undefined ? '' : colors.green(`wrote ${wrote.replaceAll(',', ', ')}`),
  ]
  return parts.filter((part) => part !== '').join('  ')
}

function fromTo(from: string | undefined, to: string | undefined): string {
  if (to === undefined || from === to) return to ?? ''
  return from === undefined ? `→ ${to}` : `${from} → ${to}`
}

function tellFailure(line: Line, { code, message, foreign }: NonNullable<Line['error']>, colors: Colors): string {
  const { msg, attempt, retry_in_ms: retryInMs } = line
  const next = retryInMs === undefined ? '' : `, again in ${(retryInMs / 1_000).toFixed(1)} s`
  const tries = attempt === undefined ? '' : ` (attempt ${attempt}${next})`
  const stack = foreign === undefined ? '' : `\n${colors.dim(indent(foreign.stack ?? foreign.message))}`
  return `${msg}: ${colors.red(code)} ${message}${tries}${stack}`
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}

const placed: ReadonlySet<string> = new Set([
  'level',
  'time',
  'msg',
  'resource_id',
  'handler',
  'event_id',
  'duration_ms',
  'error',
])

function others(line: Line): string {
  return Object.entries(line)
    .filter(([name]) => !placed.has(name))
    .map(([name, value]) => `  ${name}=${String(value)}`)
    .join('')
}
