import { EhrWriteFailed } from './ehr-write-failed.ts'

/** The chart takes no file of this size or type (HTTP 413, 415): no retry would change that. */
export function isFileRefusedByChart(error: unknown): boolean {
  return error instanceof EhrWriteFailed && (error.status === 413 || error.status === 415)
}
