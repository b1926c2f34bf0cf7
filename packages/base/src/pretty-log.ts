import { foldLine, type Span } from './fold-line.ts'
import { createShortIds } from './short-ids.ts'
import { showHidden } from './show-hidden.ts'
import { type LogLine, tellLine, tellState } from './tell-line.ts'

const wholeIdWidth = 26
/** As wide as the longest name of a shipped handler. */
const maxHandlerWidth = 34
/** Of a handler's line, below its case. */
const handlerIndent = 4
/** Of the rest of a folded line: below its text. */
const restIndent = 10
/** A line this much later than its case's tells its own time. */
const blockMs = 2_000

/** Formats a line of the log, with its line break; `undefined` for runs that changed nothing. Text that is no line of the log is only folded. */
export type PrettyLog = (line: string) => string | undefined

/** Makes the formatter of pawl's log for a terminal: a line for a case that moved, its handlers below. */
export function createPrettyLog({
  isColoured,
  columns,
  root = '',
}: {
  isColoured: boolean
  /** Width of the terminal, read for each line. Default: ids, names and lines stay whole. */
  columns?: (() => number) | undefined
  /** Folder, with a slash at its end, to which places in stacks are relative. */
  root?: string
}): PrettyLog {
  const isWide = columns === undefined
  const shortOf = createShortIds()
  /** The state last told of each resource. */
  const states = new Map<string, string>()
  /** The case that the last line is about. */
  let block: { id: string; state: string; at: number } | undefined

  return (text) => {
    const line = readLine(text)
    if (line !== undefined)
      return rowsOf(line)
        ?.map((row) => `${row}\n`)
        .join('')
    block = undefined
    const shown = showHidden(text)
    return `${print([[shown]], shown.search(/\S|$/) + 2)}\n`
  }

  function rowsOf(line: LogLine): string[] | undefined {
    const { msg, resource_id: id, handler } = line
    if (id === undefined || handler === undefined) return [rowOf(line, tellLine(line, isWide)), ...stackOf(line)]
    if (msg === 'handled') return rowsOfRun(line, id, handler)
    const told = tellLine(line, isWide)
    const row = isOpen(id, line) ? rowBelow(handler, told) : rowOf(line, [[nameOf(handler), 'blue'], ['  '], ...told])
    return [row, ...stackOf(line)]
  }

  function rowsOfRun(line: LogLine, id: string, handler: string): string[] | undefined {
    const { status, outcome, transfer, count, wrote = `${count}` } = line
    const state = [status, outcome, transfer].join(' ')
    const isNews = hasMoved(line) && states.get(id) !== state
    if (count === 0 && !isNews) return undefined
    const rows: string[] = []
    if (!isOpen(id, line) || block?.state !== state) {
      rows.push(rowOf(line, tellState(line)))
      states.set(id, state)
      block = { id, state, at: Date.parse(line.time) }
    }
    if (count !== 0) rows.push(rowBelow(handler, [[`wrote ${wrote.replaceAll(',', ', ')}`, 'green']]))
    return rows
  }

  /** Whether the last line is about this case, and not much older. */
  function isOpen(id: string, { time }: LogLine): boolean {
    return block?.id === id && Date.parse(time) - block.at < blockMs
  }

  /** A line with its time and, if it is about one, its resource. */
  function rowOf({ time, resource_id: id }: LogLine, told: readonly Span[]): string {
    block = undefined
    const clock: Span[] = [[new Date(time).toTimeString().slice(0, 8), 'dim'], ['  ']]
    const about: Span[] = id === undefined ? [] : [[isWide ? id.padEnd(wholeIdWidth) : shortOf(id)], ['  ']]
    return print([...clock, ...about, ...told], restIndent)
  }

  function rowBelow(handler: string, told: readonly Span[]): string {
    const name = nameOf(handler).padEnd(handlerWidth())
    return print([[' '.repeat(handlerIndent)], [name, 'blue'], ['  '], ...told], handlerIndent + name.length + 2)
  }

  function nameOf(handler: string): string {
    return isWide ? handler : foldName(handler, handlerWidth())
  }

  function handlerWidth(): number {
    return Math.min(maxHandlerWidth, Math.floor(widthNow() / 3))
  }

  function print(spans: readonly Span[], indent: number, width = widthNow()): string {
    return foldLine(spans, { width, indent, isColoured })
  }

  function widthNow(): number {
    return columns?.() ?? Infinity
  }

  /** The stack of a foreign error, without the frames of Node and of packages. */
  function stackOf({ error }: LogLine): string[] {
    if (error?.foreign === undefined) return []
    const { message, stack = message } = error.foreign
    return stack
      .split('\n')
      .filter((row) => !/^ +at .*(?:\bnode:|\/node_modules\/)/.test(row))
      .map((row) => row.replaceAll(`file://${root}`, '').replaceAll(root, ''))
      .map((row) => print([[`      ${row}`, 'dim']], 0, Infinity))
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

function hasMoved({ status_before, status, transfer_before, transfer }: LogLine): boolean {
  return status_before !== status || transfer_before !== transfer
}

/** The first word of a long name and as many of the last as fit: `prescription-…-to-pharmacy`. */
function foldName(name: string, width: number): string {
  if (name.length <= width) return name
  const [first, ...words] = name.split('-')
  const folds = words.map((_, at) => `${first}-…-${words.slice(at).join('-')}`)
  return folds.find((fold, at) => at > 0 && fold.length <= width) ?? name
}
