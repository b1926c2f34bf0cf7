import { formatDuration } from '@pawl/base/format-duration'

/** Why a call failed, in the words of its transport, such as ECONNREFUSED; `undefined` if they are not known. */
export function reasonOf({ code, message }: { code: string; message: string }): string | undefined {
  const [, ms] = /no answer within (\d+) ms/.exec(message) ?? []
  if (ms !== undefined) return `no answer within ${Number(ms) < 1_000 ? `${ms} ms` : formatDuration(Number(ms))}`
  const [, given = code] = /(?:no connection|no answer|unknown) \((\w+)\)/.exec(message) ?? []
  return sayReason(given)
}

/** Reasons that people know by other words than pawl's code. */
const words: Readonly<Record<string, string>> = {
  timeout: 'no answer in time',
  no_answer: 'no answer',
  disk_full: 'disk full',
  ledger_locked: 'another process held a lock',
  not_stored: 'the ledger did not store them',
  too_many_in_flight: 'too many at once',
  event_loop_late: 'overload',
}

/** A stored reason in words; `undefined` for a code of pawl or of a connector, and for any other text, which may be about a patient. */
export function sayReason(reason: string): string | undefined {
  if (Object.hasOwn(words, reason)) return words[reason]
  return /^([A-Z0-9_]{2,60}|no answer (in time|within \d+ (ms|s|min)))$/.test(reason) ? reason : undefined
}

/** Codes that say no more than that it failed. */
const vague: Readonly<Record<string, string>> = { unexpected: 'an unexpected error' }

/** Such as "the chart (ehr): HTTP 403": what failed, and why, as its code says unless an answer does. */
export function sayCause(what: string, code: string, httpStatus?: number): string {
  if (httpStatus !== undefined) return `${what}: HTTP ${httpStatus}`
  return `${what}: ${vague[code] ?? (/(^|_)write_failed$/.test(code) ? 'not written' : (sayReason(code) ?? code))}`
}
