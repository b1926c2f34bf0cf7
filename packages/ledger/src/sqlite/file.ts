import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { PawlError, type Retry, systemCodeOf } from '@pawl/base/errors'

/** The ledger file cannot be opened or created: the path is wrong, or, `isPassing`, a temporary fault. The message does not name the path. */
export class LedgerFileUnusable extends PawlError {
  readonly code: 'ledger_file_unusable' | 'ledger_file_unavailable'
  override readonly retry: Retry

  constructor(message: string, isPassing = false, options?: ErrorOptions) {
    super(message, options)
    this.code = isPassing ? 'ledger_file_unavailable' : 'ledger_file_unusable'
    this.retry = isPassing ? 'backoff' : 'never'
  }
}

/** Faults that another path would not fix: a disk that is full, broken or mounted read-only; too many open files; an unresponsive file server. */
const passing: ReadonlySet<unknown> = new Set([
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EBUSY',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ESTALE',
  'ETIMEDOUT',
  'EAGAIN',
])

/** Creates the folder and file of a ledger, and checks that SQLite can write there. Throws `LedgerFileUnusable`. */
export function prepareLedgerFile(path: string): void {
  const folder = dirname(path)
  attempt('its folder cannot be created: choose a path where the user that runs pawl may create one', () =>
    makeFolder(folder),
  )
  // SQLite keeps files of its own beside it.
  attempt('its folder cannot be written to: let the user that runs pawl write there, or choose another path', () =>
    accessSync(folder, constants.W_OK | constants.X_OK),
  )
  if (!existsSync(path)) {
    // SQLite gives its other files the mode of this one: owner only, regardless of the umask.
    attempt('its file cannot be created: let the user that runs pawl write there, or choose another path', () =>
      closeSync(openSync(path, 'a', 0o600)),
    )
    return
  }
  if (statSync(path).isDirectory())
    throw new LedgerFileUnusable('it leads to a folder: add the name of a file in it, such as pawl.db')
  attempt('its file cannot be read and written: give it to the user that runs pawl', () =>
    accessSync(path, constants.R_OK | constants.W_OK),
  )
}

/** Creates one folder at a time: the recursive mkdir of Node 20 never returns below /proc, where creating a folder fails as if its parent were missing. */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(folder)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function attempt(fault: string, act: () => void): void {
  try {
    act()
  } catch (cause) {
    const code = systemCodeOf(cause)
    throw new LedgerFileUnusable(code === undefined ? fault : `${fault} (${code})`, passing.has(code), { cause })
  }
}
