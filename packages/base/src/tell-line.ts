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

/** Formats a line without its time and level: resource, handler and event, then the stack of a foreign error with places relative to `root`. */
export function tellLine(line: LogLine, root: string): string {
  const { resource_id: id, handler } = line
  return [id, handler, tell(line)].filter((part) => part !== undefined).join('  ') + tellStack(line, root)
}

function tell(line: LogLine): string {
  const { msg, event_type: type = '', status, error } = line
  if (msg === 'delivery') return `webhook ${type}${status === 'duplicate' ? ', a copy: nothing to do' : ''}`
  if (msg === 'handled') return tellRun(line)
  if (error !== undefined) return tellFailure(line, error)
  return `${msg}${othersOf(line)}`
}

/** The change of state that a run found in a resource, and the writes of the run. */
function tellRun({ status_before, status, outcome, transfer_before, transfer, count, wrote = `${count}` }: LogLine) {
  const moved = fromTo(status_before, status?.toString())
  const told = [outcome === undefined ? moved : `${moved} (${outcome})`]
  if (transfer !== undefined) told.push(`transfer ${fromTo(transfer_before, transfer)}`)
  if (count !== 0) told.push(`wrote ${wrote.replaceAll(',', ', ')}`)
  return told.join('  ')
}

function fromTo(from: string | undefined, to: string | undefined): string {
  if (to === undefined || from === to) return to ?? ''
  return from === undefined ? `→ ${to}` : `${from} → ${to}`
}

function tellFailure(
  { msg, attempt, retry_in_ms: retryInMs }: LogLine,
  { code, message }: { code: string; message: string },
): string {
  const next = retryInMs === undefined ? '' : `, again in ${(retryInMs / 1_000).toFixed(1)} s`
  return `${msg}: ${code} ${message}${attempt === undefined ? '' : ` (attempt ${attempt}${next})`}`
}

/** The stack without the frames of Node and of packages. */
function tellStack({ error }: LogLine, root: string): string {
  if (error?.foreign === undefined) return ''
  const { message, stack = message } = error.foreign
  const own = stack.split('\n').filter((row) => !/^ +at .*(?:\bnode:|\/node_modules\/)/.test(row))
  return own.map((row) => `\n      ${row.replaceAll(`file://${root}`, '').replaceAll(root, '')}`).join('')
}

const placed: ReadonlySet<string> = new Set([
  'level',
  'time',
  'msg',
  'resource_id',
  'handler',
  'event_id',
  'duration_ms',
  'trace_id',
])

function othersOf(line: LogLine): string {
  return Object.entries(line)
    .filter(([name]) => !placed.has(name))
    .map(([name, value]) => `  ${name}=${String(value)}`)
    .join('')
}
