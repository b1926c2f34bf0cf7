import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemCodeOf } from '@pawl/base/errors'
import { fail, type Finding, ok, warn } from './finding.ts'

const area = 'ledger'

/** Checks, without creating one, whether a ledger can be created at this path, and whether an existing one may be opened. */
export function examineLedgerFile(path: string): { finding: Finding; mayOpen: boolean } {
  const fault = findFault(path)
  if (fault !== undefined) return { finding: fault, mayOpen: false }
  if (!existsSync(path)) return { finding: ok(area, 'None exists yet; one can be created.'), mayOpen: false }
  return { finding: ok(area, 'Its file can be used.'), mayOpen: true }
}

function findFault(path: string): Finding | undefined {
  const folder = nearestFolder(dirname(path))
  try {
    // Only a write shows that a disk is full or mounted read-only.
    rmdirSync(mkdtempSync(join(folder, 'pawl-doctor-')))
  } catch (error) {
    const why = systemCodeOf(error) ?? 'no reason given'
    const todo =
      'Let the user that pawl runs as write there, make room on the disk, or choose another path in DATABASE_URL.'
    return fail(area, `Its folder cannot be written to (${why}).`, todo)
  }
  const file = statSync(path, { throwIfNoEntry: false })
  if (file === undefined) return undefined
  if (file.isDirectory())
    return fail(area, 'DATABASE_URL leads to a folder.', 'Add the name of a file in it, such as pawl.db.')
  const user = process.getuid?.() ?? 0
  // SQLite would create its side files as this user, and pawl could not write to them. Only root's files go to the owner.
  if (user !== 0 && user !== file.uid)
    return warn(area, 'Its file belongs to another user and was not opened.', 'Run this as the user that pawl runs as.')
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return undefined
  } catch {
    return fail(area, 'Its file cannot be read and written.', 'Give it to the user that pawl runs as.')
  }
}

/** The folder, or the nearest existing one above it. */
export function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
}
