import { Client } from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { postgres } from '../../src/connectors/sql/postgres.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
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
    pause: () => server.pause(),
    resume: () => server.resume(),
  }))
})
