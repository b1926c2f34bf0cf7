import { PawlError } from '@pawl/base/errors'

/** The ledger is an unfinished copy: work on it would lose the rows not copied yet. */
export class LedgerUnfinished extends PawlError {
  readonly code = 'ledger_unfinished'
}
