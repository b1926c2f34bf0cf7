import { statSync } from 'node:fs'
import { PawlError, type Retry } from '@pawl/base/errors'

/** The open file is no longer the one at its path: commits to it would be lost with this process. */
export class LedgerFileGone extends PawlError {
  readonly code = 'ledger_file_gone'
  override readonly retry: Retry = 'backoff'
  constructor() {
    super('The file at DATABASE_URL was deleted or replaced while pawl runs: put it back, or restart pawl.')
  }
}

/** Identifies the files of an open ledger. */
export interface FileIdentity {
  /** Costs a few microseconds. Throws `LedgerFileGone`. */
  assertSame(): void
}

/** Remembers the files now at the path: the database, and its log, which exists as long as the database is open. */
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
