import type { Scenario } from './scenario.ts'
import { acknowledged } from './scenarios/acknowledged.ts'
import { consolePages } from './scenarios/console.ts'
import { costs } from './scenarios/costs.ts'
import { endToEnd, endToEndOnPostgres } from './scenarios/end-to-end.ts'
import { kills } from './scenarios/kills.ts'
import { largeLedger } from './scenarios/large-ledger.ts'
import { largePostgres } from './scenarios/large-postgres.ts'
import { users } from './scenarios/users.ts'

/** All tables of `npm run bench`, in their order. */
export const scenarios: readonly Scenario[] = [
  users,
  kills,
  acknowledged,
  endToEnd,
  endToEndOnPostgres,
  costs,
  largeLedger,
  largePostgres,
  consolePages,
]
