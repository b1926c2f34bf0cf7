import type { Log } from '@pawl/base/log'
import { leftOutFiles } from '@pawl/base/system-notes'
import type { RunContext } from '@pawl/connector/system'
import type { ChartFile, UnfiledFile } from './ehr.ts'

/** Types of files that charts show, and that run nothing in a viewer: HTML, SVG and XML do. */
const shown: ReadonlySet<string> = new Set([
  'application/pdf',
  'text/plain',
  'text/rtf',
  'application/rtf',
  'image/png',
  'image/jpeg',
  'image/tiff',
  'image/gif',
  'image/bmp',
])

/** Whether the file may be filed as it is. */
export function isShown({ contentType }: Pick<ChartFile, 'contentType'>): boolean {
  return shown.has(essenceOf(contentType))
}

/** Whether a document of pawl's can hold the file's content: plain text, or the source of a file that a viewer could run. */
export function isTextual({ contentType }: Pick<ChartFile, 'contentType'>): boolean {
  return /^text\/(?!rtf$)|[/+](xml|json)$/.test(essenceOf(contentType))
}

/** Tells staff of a file that the chart cannot hold, where it has no task list: pawl's own work list names its kind, and no word of the file. */
export function leaveOutFile({ leftOut, digest }: Pick<RunContext, 'leftOut' | 'digest'>, { kind, key }: UnfiledFile) {
  leftOut({ type: `${leftOutFiles}${kind}/${digest(key)}`, reason: 'the chart cannot hold the file' })
}

/** Warns of a file that is filed as its source. The log omits its type, which the file's host chose. */
export function warnUnlessShown(log: Log, file: Pick<ChartFile, 'contentType'>): void {
  if (!isShown(file)) log.warn({}, 'file left out: charts do not show its type; its source is filed as text')
}

/** A media type without its parameters. */
export function essenceOf(contentType: string): string {
  return contentType.toLowerCase().split(';', 1)[0]?.trim() ?? ''
}
