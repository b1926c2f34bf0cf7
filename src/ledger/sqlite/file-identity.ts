import { statSync } from 'node:fs'
import { PawlError, type Retry } from '../../base/errors.ts'

/** What is open is not what the next process would open: what is committed to it would be lost with this process. */
export class LedgerFileGone extends PawlError {
  readonly code = 'ledger_file_gone'
  override readonly retry: Retry = 'backoff'
  constructor() {
    super('The file at DATABASE_URL was deleted or replaced while pawl runs: put it back, or restart pawl.')
  }
}

/** Knows the files of an open ledger again. */
export interface FileIdentity {
  /** Costs a few microseconds. Throws `LedgerFileGone`. */
  assertSame(): void
}

/** Remembers which files are at the path now: the database, and its log, which exists as long as the database is open. */
export function rememberFiles(path: string): FileIdentity {
  const files = [path, `${path}-wal`].map((each) => ({ path: each, identity: identityOf(each) }))
  return {
    assertSame() {
      if (files.some((file) => identityOf(file.path) !== file.identity)) throw new LedgerFileGone()
    },
  }
}

function identityOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat && `${stat.dev} ${stat.ino}`
}
