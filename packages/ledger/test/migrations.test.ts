import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createLedger } from '../src/create-ledger.ts'
import { type ColumnTypes, migrate, migrations } from '../src/migrations.ts'
import * as postgresLedger from '../src/postgres/open-postgres.ts'
import { createSeal } from '../src/sealing/seal.ts'
import * as sqliteLedger from '../src/sqlite/open-sqlite.ts'
import type { Storage } from '../src/storage.ts'
import { describeOnPostgres } from '../../../test/support/postgres.ts'
import { describeOnSqlite } from './on-each-storage.ts'
import { aDelivery } from './a-delivery.ts'

/** A change that a later version of pawl might make. */
const later = {
  '9999-later': {
    up: async (db: Parameters<typeof migrate>[0]) =>
      void (await sql`alter table outages add column reason text`.execute(db)),
  },
}

function describeMigrations(types: ColumnTypes, create: () => Promise<{ open(): Promise<Storage> }>) {
  const accept = async (storage: Storage) => createLedger({ storage, seal: createSeal([]) }).accept(aDelivery())

  it('is migrated once, keeps its rows, and is refused by the older version from then on', async () => {
    const { open } = await create()
    const storage = await open()
    expect(await accept(storage)).toMatchObject({ duplicate: false })
    for (let times = 0; times < 2; times += 1) await migrate(storage.db, { ...migrations(types), ...later })
    await sql`insert into outages (system, until, reason) values ('ehr', 1, 'an upgrade')`.execute(storage.db)
    expect(await accept(storage)).toMatchObject({ duplicate: true })
    await storage.db.destroy()
    await expect(open()).rejects.toMatchObject({
      message: 'The database of DATABASE_URL cannot be used: is it up, and empty or a ledger of pawl?',
      cause: { message: expect.stringContaining('9999-later') },
    })
  })
}

describeOnSqlite('the schema of a ledger', (newPath) => {
  describeMigrations(sqliteLedger.columnTypes, async () => {
    const path = newPath()
    return { open: () => sqliteLedger.openSqlite(path, Date) }
  })
})

describeOnPostgres('the schema of a ledger on PostgreSQL', (_, createDatabase) => {
  describeMigrations(postgresLedger.columnTypes, async () => {
    const url = await createDatabase()
    return { open: () => postgresLedger.openPostgres(url, () => {}) }
  })
})
