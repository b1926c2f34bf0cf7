import { EhrWriteFailed } from './ehr-write-failed.ts'

/** Whether the chart takes no file of this size or type (HTTP 413, 415), which no retry would change. */
export function isFileRefusedByChart(error: unknown): boolean {
  return error instanceof EhrWriteFailed && (error.httpStatus === 413 || error.httpStatus === 415)
}
