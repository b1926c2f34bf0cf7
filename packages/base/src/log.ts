import { type DestinationStream, pino } from 'pino'
import { describeError, quoteForeignError } from './errors.ts'

/** The only fields that a log line may carry: ids, codes and numbers. Anything else, and any text with spaces, prints as `[redacted]`. */
export interface LogFields {
  event_id?: number | undefined
  event_type?: string | undefined
  resource_id?: string | undefined
  handler?: string | undefined
  reason?: string | undefined
  code?: string | undefined
  system?: string | undefined
  trace_id?: string | undefined
  status?: string | number | undefined
  status_before?: string | undefined
  outcome?: string | undefined
  transfer?: string | undefined
  transfer_before?: string | undefined
  wrote?: string | undefined
  attempt?: number | undefined
  count?: number | undefined
  bytes?: number | undefined
  duration_ms?: number | undefined
  cpu_ms?: number | undefined
  retry_in_ms?: number | undefined
  address?: string | undefined
  component?: string | undefined
  audit_head?: string | undefined
  error?: unknown
}

/** The fields of a line, with those of the integration. */
export type LogFieldsWith<Own extends string> = LogFields & { [Name in Own]?: string | number | undefined }

/** One line per step, with ids and never content. The message is a fixed sentence, printed unchanged. `Own`: names of the integration's fields. */
export interface Log<Own extends string = never> {
  debug(fields: LogFieldsWith<Own>, message: string): void
  info(fields: LogFieldsWith<Own>, message: string): void
  warn(fields: LogFieldsWith<Own>, message: string): void
  error(fields: LogFieldsWith<Own>, message: string): void
}

/** The names of the fields, in documented order. */
export const logFieldNames: readonly string[] = [
  'event_id',
  'event_type',
  'resource_id',
  'handler',
  'reason',
  'code',
  'system',
  'trace_id',
  'status',
  'status_before',
  'outcome',
  'transfer',
  'transfer_before',
  'wrote',
  'attempt',
  'count',
  'bytes',
  'duration_ms',
  'cpu_ms',
  'retry_in_ms',
  'address',
  'component',
  'audit_head',
] satisfies (keyof LogFields)[]

const ownFieldShape = /^[a-z][a-z0-9_]{0,31}$/
/** The fields that pino sets, and the error. */
export const setByTheLog: ReadonlySet<string> = new Set(['error', 'level', 'msg', 'time'])

/** Whether an integration may add a field of this name. */
export function isOwnFieldName(name: string): boolean {
  return ownFieldShape.test(name) && !setByTheLog.has(name)
}

/** Ids, codes and URLs have no spaces; names of people and sentences do. */
const isWord = /^[^\s\p{Cc}\p{Cf}]{0,200}$/u

function redact(
  fields: Record<string, unknown>,
  { isAllowed, showForeignErrors }: { isAllowed(name: string): boolean; showForeignErrors: boolean },
): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'error') kept.error = showForeignErrors ? describeInFull(value) : describeError(value)
    else if (isAllowed(name) && typeof value === 'string' && isWord.test(value)) kept[name] = value
    else if (isAllowed(name) && (typeof value === 'number' || value === undefined)) kept[name] = value
    else kept[name] = '[redacted]'
  }
  return kept
}

function describeInFull(error: unknown): object {
  const foreign = quoteForeignError(error)
  return { ...describeError(error), ...(foreign && { foreign }) }
}

const levels = ['debug', 'info', 'warn', 'error'] as const
type Write = Log['info']

/** Drops lines below the log's level without building them. */
const silent: Write = () => {}

function logOf(writerOf: (level: (typeof levels)[number]) => Write): Log {
  const [debug, info, warn, error] = levels.map(writerOf) as [Write, Write, Write, Write]
  return { debug, info, warn, error }
}

/** The same log, with these fields in every line. */
export function bindLog(log: Log, bound: LogFields): Log {
  const write = (level: (typeof levels)[number]): Write =>
    log[level] === silent ? silent : (fields, message) => log[level]({ ...bound, ...fields }, message)
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

export interface LogOptions {
  level: string
  /** Whether to print messages and stacks of foreign errors, which may quote patient data: for development only. Default: false. */
  showForeignErrors?: boolean
  /** Names of extra fields, under the same rules; `any` allows every name that an integration may add. Default: none. */
  ownFields?: readonly string[] | 'any' | undefined
  destination?: DestinationStream
}

/** Makes the process's log: JSON lines on standard output, or on `destination`. The allow-list above applies to every line. */
export function createLog({ level, showForeignErrors = false, ownFields = [], destination }: LogOptions): Log {
  const names = new Set([...logFieldNames, ...(ownFields === 'any' ? [] : ownFields)])
  const isAllowed = (name: string) => names.has(name) || (ownFields === 'any' && isOwnFieldName(name))
  const rules = { isAllowed, showForeignErrors }
  const settings = {
    level,
    base: null,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => redact(fields, rules),
    },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  const lines = destination === undefined ? pino(settings) : pino(settings, destination)
  return logOf((name) => (lines.isLevelEnabled(name) ? (fields, message) => lines[name](fields, message) : silent))
}
