import { createConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll } from 'vitest'
import { mysql } from '../../src/connectors/sql/mysql.ts'
import { describeWithMariadb, startMariadb, type TestMariadb } from '../support/mariadb.ts'
import { describeSqlPharmacy } from './sql-pharmacy-contract.ts'

describeWithMariadb('a pharmacy with a table in MariaDB', () => {
  let server: TestMariadb
  beforeAll(async () => {
    server = await startMariadb()
  })
  afterAll(() => server.close())

  async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
    const connection = await createConnection({ uri: url, timezone: 'Z' })
    try {
      // A statement that returns no rows returns a header in their place.
      const [rows] = await connection.query<RowDataPacket[] | ResultSetHeader>(statement)
      return Array.isArray(rows) ? rows : []
    } finally {
      await connection.end()
    }
  }

  describeSqlPharmacy(mysql, () => ({
    createDatabase: () => server.createDatabase(),
    ask,
    async createReader(url, table) {
      await ask(url, `create user reader@'127.0.0.1' identified by 'reads only'`)
      await ask(url, `grant select on \`${table}\` to reader@'127.0.0.1'`)
      const reader = new URL(url)
      reader.username = 'reader'
      reader.password = 'reads only'
      return reader.href
    },
    pause: () => server.pause(),
    resume: () => server.resume(),
  }))
})
