/** Exports of `#pawl/connector`, for connector authors: the port of a system, HTTP with verdicts, and errors with a retry verdict (docs/connectors.md). */
export type {
  CheckReport,
  CheckSample,
  FoundRecord,
  Memory,
  ReadBack,
  Receipt,
  RunContext,
  System,
} from '@pawl/connector/system'
export type { Mending, Remembered, Standing } from '@pawl/base/system-notes'
export { amendmentIn, amendmentRole } from '@pawl/base/amendment'
export type { Amendment } from '@pawl/base/amendment'
export { checkRun, exchange, retryOfAnswer } from '@pawl/connector/exchange'
export type {
  Answer,
  ExchangeDeps,
  ExchangeRequest,
  ExchangeRun,
  FailedAnswer,
  SuccessfulAnswer,
  Verdict,
} from '@pawl/connector/exchange'
export { leanFetch } from '@pawl/base/net/fetch'
export type { Fetch, FetchAnswer, FetchInit, HeaderReader } from '@pawl/base/net/fetch'
export { smtpConnectionOf } from '@pawl/base/net/smtp-connection'
export { sqlTable } from '@pawl/connector/sql/sql-table-at'
export type { SqlRowWithDates, SqlTableAt } from '@pawl/connector/sql/sql-table-at'
export { notConfigured } from '@pawl/connector/not-configured'
export { createOneAtATime } from '@pawl/connector/one-at-a-time'
export type { OneAtATime } from '@pawl/connector/one-at-a-time'
export { WriteFailed } from '@pawl/connector/write-failed'
export type { WriteFailure } from '@pawl/connector/write-failed'
export { PawlError } from '@pawl/base/errors'
export type { Retry } from '@pawl/base/errors'
export { systemClock } from '@pawl/base/clock'
export type { Clock } from '@pawl/base/clock'
export type { Log } from '@pawl/base/log'
