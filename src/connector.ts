/** Exports of `#pawl/connector`, for connector authors: the port of a system, HTTP with verdicts, and errors with a retry verdict (docs/connectors.md). */
export type {
  CheckReport,
  CheckSample,
  Difference,
  Memory,
  Receipt,
  RehearsalContext,
  RunContext,
  System,
} from './systems/system.ts'
export { NotRehearsable } from './systems/not-rehearsable.ts'
export type { Remembered } from './base/system-notes.ts'
export { checkRun, exchange, retryOfAnswer } from './connectors/exchange.ts'
export type { Answer, ExchangeDeps, ExchangeRequest, ExchangeRun } from './connectors/exchange.ts'
export { leanFetch } from './base/net/fetch.ts'
export type { Fetch, FetchAnswer, FetchInit, HeaderReader } from './base/net/fetch.ts'
export { smtpConnectionOf } from './base/net/smtp-connection.ts'
export { sqlTable } from './connectors/sql/sql-table-at.ts'
export type { SqlRowWithDates, SqlTableAt } from './connectors/sql/sql-table-at.ts'
export { notConfigured } from './connectors/not-configured.ts'
export { WriteFailed } from './connectors/write-failed.ts'
export type { WriteFailure } from './connectors/write-failed.ts'
export { PawlError } from './base/errors.ts'
export type { Retry } from './base/errors.ts'
export { systemClock } from './base/clock.ts'
export type { Clock } from './base/clock.ts'
export type { Log } from './base/log.ts'
