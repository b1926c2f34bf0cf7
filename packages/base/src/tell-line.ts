import type { Span } from './fold-line.ts'

/** The log fields with a fixed position in a readable line; all others follow by name. */
export interface LogLine {
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

/** A line without its time, resource and handler. `isWide`: names are whole. */
export function tellLine(line: LogLine, isWide: boolean): Span[] {
  const { level, msg, event_type: type = '', status, error } = line
  if (msg === 'delivery') {
    const name = isWide ? type : type.slice(type.indexOf('.') + 1)
    return [[`webhook ${name}${status === 'duplicate' ? ', a copy: nothing to do' : ''}`, 'dim']]
  }
  if (error !== undefined) return tellFailure(line, error)
  const text: Span = level === 'warn' ? [msg, 'yellow'] : level === 'error' ? [msg, 'red'] : [msg]
  return [text, [othersOf(line, isWide), 'dim']]
}

/** How a resource moved, as a handler's run found it. */
export function tellState({ status_before, status, outcome, transfer_before, transfer }: LogLine): Span[] {
  const result: Span[] = outcome === undefined ? [] : [[' ('], [outcome, 'bold'], [')']]
  const moved = transfer === undefined ? '' : `  transfer ${fromTo(transfer_before, transfer)}`
  return [[fromTo(status_before, status?.toString())], ...result, [moved]]
}

function fromTo(from: string | undefined, to: string | undefined): string {
  if (to === undefined || from === to) return to ?? ''
  return from === undefined ? `→ ${to}` : `${from} → ${to}`
}

function tellFailure(
  { msg, attempt, retry_in_ms: retryInMs }: LogLine,
  error: { code: string; message: string },
): Span[] {
  const next = retryInMs === undefined ? '' : `, again in ${(retryInMs / 1_000).toFixed(1)} s`
  const tries = attempt === undefined ? '' : ` (attempt ${attempt}${next})`
  return [[`${msg}: `], [error.code, 'red'], [` ${error.message}${tries}`]]
}

const placed: ReadonlySet<string> = new Set([
  'level',
  'time',
  'msg',
  'resource_id',
  'handler',
  'event_id',
  'duration_ms',
])

function othersOf(line: LogLine, isWide: boolean): string {
  return Object.entries(line)
    .filter(([name]) => !placed.has(name) && (isWide || name !== 'trace_id'))
    .map(([name, value]) => `  ${name}=${String(value)}`)
    .join('')
}
