import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Whether a line of error output begins Node's report of an uncaught error, which runs until the process exits. */
export function isCrash(line: string): boolean {
  return /^(?:node:|file:|\/|[A-Za-z]:[\\/]).*:\d+$/.test(line)
}

/** An uncaught error, in short. */
export interface Crash {
  /** Place and message, then the source line; without a place, the whole report. Ends with a line break. */
  text: string
  /** Whether every source was loaded. If not, a type check is not worth its time. */
  isLoaded: boolean
}

/** Shortens Node's report of an uncaught error. `root`: the checkout, with a slash at its end. */
export function describeCrash(report: readonly string[], root: string): Crash {
  const lines = report.map((line) => line.replaceAll(`file://${root}`, '').replaceAll(root, ''))
  const read = (path: string) => readLines(resolve(root, path))
  const told = syntaxErrors(lines, read) ?? missingModule(lines, read) ?? thrownError(lines)
  return { text: `${(told?.rows ?? report).join('\n')}\n`, isLoaded: told?.isLoaded ?? true }
}

interface Told {
  rows: string[]
  isLoaded: boolean
}
type Read = (path: string) => string[]

/** Errors as esbuild reports them when it reads a source. */
function syntaxErrors(lines: readonly string[], read: Read): Told | undefined {
  const rows = lines.flatMap((line) => {
    const [, path, row, column, message] = /^(.+?):(\d+):(\d+): ERROR: (.*)$/.exec(line) ?? []
    return path === undefined ? [] : [`${path}:${row}:${column}  ${message}`, ...quote(read(path)[Number(row) - 1])]
  })
  return rows.length === 0 ? undefined : { rows, isLoaded: false }
}

function missingModule(lines: readonly string[], read: Read): Told | undefined {
  const pattern = /^Error \[ERR_MODULE_NOT_FOUND\]: (Cannot find \w+) '(.+)' imported from (.+)$/
  const [, message, missing, path] = lines.map((line) => pattern.exec(line)).find((found) => found !== null) ?? []
  if (missing === undefined || path === undefined) return undefined
  // Only the end of a resolved path matches the source.
  const name = missing.split(/[\\/]/).at(-1) ?? missing
  const sources = read(path)
  const at = sources.findIndex((source) => source.includes(name))
  const place = at === -1 ? path : `${path}:${at + 1}`
  return { rows: [`${place}  ${message} '${missing}'`, ...quote(sources[at])], isLoaded: false }
}

/** An error that a source threw, with the project's frames, or the import of a missing export. */
function thrownError(lines: readonly string[]): Told | undefined {
  const [, path, row] = /^(?!node:)(.+):(\d+)$/.exec(lines[0] ?? '') ?? []
  const message = lines.find((line) => /^[A-Z]\w*(?: \[\w+\])?: /.test(line))
  if (path === undefined || message === undefined) return undefined
  const isLoaded = !message.startsWith('SyntaxError')
  const frames = lines.filter((line) => /^ +at /.test(line) && !/\bnode:|\bnode_modules\//.test(line))
  return { rows: [`${path}:${row}  ${message}`, ...quote(lines[1]), ...(isLoaded ? frames : [])], isLoaded }
}

function quote(source: string | undefined): string[] {
  return source === undefined ? [] : [`    ${source.trim()}`]
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    // Changed meanwhile, or not a path.
    return []
  }
}
