import { createConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll } from 'vitest'
import { mysql } from '../../connector/src/sql/mysql.ts'
import { describeWithMariadb, startMariadb, type TestMariadb } from '../../../test/support/mariadb.ts'
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

  async function createUser(url: string, name: string, grant: string): Promise<string> {
    await ask(url, `create user ${name}@'127.0.0.1' identified by 'of one table'`)
    await ask(url, `grant ${grant} to ${name}@'127.0.0.1'`)
    const address = new URL(url)
    address.username = name
    address.password = 'of one table'
    return address.href
  }

  describeSqlPharmacy(mysql, () => ({
    createDatabase: () => server.createDatabase(),
    ask,
    createReader: (url, table) => createUser(url, 'reader', `select on \`${table}\``),
    // Who may do everything may also write to a server that is set read-only.
    createWriter: (url, table) => createUser(url, 'writer', `select, insert on \`${table}\``),
    setReadOnly: async (url, isReadOnly) => void (await ask(url, `set global read_only = ${isReadOnly ? 1 : 0}`)),
    pause: () => server.pause(),
    resume: () => server.resume(),
  }))
})
