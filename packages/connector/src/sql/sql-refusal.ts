import type { Retry } from '@pawl/base/errors'

/** A database's refusal as a verdict; `reason` holds its code and never its words, which quote data. */
export interface Refusal {
  reason: string
  retry: Retry
  isOutage: boolean
  /** The refusal may hit every write. */
  mayBeOutage: boolean
  /** False if no connection came about. Default true. */
  costsAttempt?: boolean
  /** The kind of request that was refused. */
  request?: string
}

/** Kind of refusal: `away`, the database is down; `busy`, other statements interfered; `value`, it concerns this row only; `table`, possibly every row. */
export type RefusalKind = 'away' | 'busy' | 'value' | 'table'

const verdicts: Readonly<Record<RefusalKind, Omit<Refusal, 'reason'>>> = {
  away: { retry: 'backoff', isOutage: true, mayBeOutage: false },
  busy: { retry: 'backoff', isOutage: false, mayBeOutage: false },
  value: { retry: 'never', isOutage: false, mayBeOutage: false },
  table: { retry: 'never', isOutage: false, mayBeOutage: true },
}

const words: Readonly<Record<RefusalKind, string>> = {
  away: 'the database cannot be used now',
  busy: 'the database was busy',
  value: 'a value does not fit its column or breaks a rule of the table',
  table: 'the database refuses to write to the table',
}

/** The verdict on a refusal, with the code of the database. */
export function refusal(kind: RefusalKind, code: string | number, what: string = words[kind]): Refusal {
  return { reason: `${what} (${code})`, ...verdicts[kind] }
}
