import { Client } from 'pg'
import { afterAll, beforeAll, expect } from 'vitest'
import { postgres } from '../../connector/src/sql/postgres.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { describeSqlPharmacy } from './sql-pharmacy-contract.ts'

describeWithPostgres('a pharmacy with a table in PostgreSQL', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.close())

  async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
    const client = new Client(url)
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows
    } finally {
      await client.end()
    }
  }

  describeSqlPharmacy(postgres, () => ({
    createDatabase: () => server.createDatabase(),
    ask,
    async createReader(url, table) {
      await ask(url, `create role reader login`)
      await ask(url, `grant select on "${table}" to reader`)
      const reader = new URL(url)
      reader.username = 'reader'
      return reader.href
    },
    createWriter: (url) => Promise.resolve(url),
    async setReadOnly(url, isReadOnly) {
      await ask(url, `alter system set default_transaction_read_only = ${String(isReadOnly)}`)
      await ask(url, 'select pg_reload_conf()')
      const setting = async () => (await ask(url, 'show transaction_read_only'))[0]?.transaction_read_only
      await expect.poll(setting).toBe(isReadOnly ? 'on' : 'off')
    },
    pause: () => server.pause(),
    resume: () => server.resume(),
  }))
})
