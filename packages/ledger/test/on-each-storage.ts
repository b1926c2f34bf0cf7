import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import type { Clock } from '../../base/src/clock.ts'
import { openPostgres } from '../src/postgres/open-postgres.ts'
import { openSqlite } from '../src/sqlite/open-sqlite.ts'
import type { Storage } from '../src/storage.ts'
import { describeOnPostgres } from '../../../test/support/postgres.ts'

/** `describe` for tests on SQLite; `newPath` names a new file in a folder that is removed after them. */
export function describeOnSqlite(name: string, tests: (newPath: () => string) => void): void {
  describe(`${name} on SQLite`, () => {
    let folder: string
    let files = 0
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'pawl-ledgers-'))
    })
    afterAll(() => rm(folder, { recursive: true }))
    tests(() => join(folder, `${(files += 1)}.db`))
  })
}

/** The same tests on SQLite and, where it is installed, on PostgreSQL; `open` makes a new storage. */
export function describeOnEachStorage(
  name: string,
  tests: (open: () => Promise<Storage>) => void,
  clock: Clock = Date,
): void {
  describeOnSqlite(name, (newPath) => tests(() => openSqlite(newPath(), clock)))
  describeOnPostgres(`${name} on PostgreSQL`, (createLedgerDatabase) =>
    tests(async () => openPostgres(await createLedgerDatabase(), () => {})),
  )
}
