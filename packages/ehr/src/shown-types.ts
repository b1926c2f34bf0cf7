import type { Log } from '@pawl/base/log'
import type { ChartFile } from './ehr.ts'

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

/** Warns of a file that is not filed as it is. The log omits its type, which the file's host chose. */
export function warnUnlessShown(log: Log, file: Pick<ChartFile, 'contentType'>): void {
  if (!isShown(file)) log.warn({}, 'file left out: charts do not show its type; a document stands for it')
}

/** A media type without its parameters. */
export function essenceOf(contentType: string): string {
  return contentType.toLowerCase().split(';', 1)[0]?.trim() ?? ''
}
