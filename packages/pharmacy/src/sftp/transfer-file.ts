import { createHash } from 'node:crypto'
import { stringify } from 'csv-stringify/sync'
import { defuseFormula } from '@pawl/base/defuse-formula'
import type { TransferFileFormat } from '../settings.ts'
import type { TransferNotice } from '../transfer-notice.ts'

/** The content of a file of notices, as UTF-8. */
export function formatNotices(notices: readonly TransferNotice[], format: TransferFileFormat): Buffer {
  const text = format === 'csv' ? toCsv(notices) : notices.map((notice) => `${JSON.stringify(notice)}\n`).join('')
  return Buffer.from(text)
}

/** File name of one notice: the same for every attempt, and sorted by the time of the state. */
export function nameOfNotice({ timestamp, sequence, data }: TransferNotice, format: TransferFileFormat): string {
  // Ids may hold a colon, which some file systems refuse.
  const id = encodeURIComponent(data.prior_authorization_id)
  return `${sortable(new Date(timestamp))}-${id}-${sequence}.${format}`
}

/** File name of several notices, sorted by the time of writing. */
export function nameOfBatch(notices: readonly TransferNotice[], format: TransferFileFormat, nowMs: number): string {
  const ids = notices.map(({ id }) => id).join(' ')
  const digest = createHash('sha256').update(ids).digest('hex').slice(0, 16)
  return `${sortable(new Date(nowMs))}-batch-${digest}.${format}`
}

/** Such as 20260131T080000000Z. */
function sortable(time: Date): string {
  return time.toISOString().replaceAll(/[-:.]/g, '')
}

/** RFC 4180 with a header line. A value that a spreadsheet would run as a formula gets a leading '. */
function toCsv(notices: readonly TransferNotice[]): string {
  return stringify(
    notices.map((notice) => Object.fromEntries(columnsOf('', notice))),
    { header: true, record_delimiter: '\r\n', quote_record_delimiter: true },
  )
}

/** A value for each column, named by its path. All notices have the same fields in the same order; a list is one column of JSON. */
function columnsOf(path: string, value: unknown): [string, string | number][] {
  if (value === null || value === undefined) return [[path, '']]
  if (typeof value === 'number') return [[path, value]]
  if (typeof value !== 'object' || Array.isArray(value))
    return [[path, typeof value === 'string' ? defuseFormula(value) : JSON.stringify(value)]]
  return Object.entries(value).flatMap(([name, inner]) => columnsOf(path === '' ? name : `${path}.${name}`, inner))
}
