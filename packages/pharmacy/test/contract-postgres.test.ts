import { Client } from 'pg'
import { afterAll, beforeAll, it } from 'vitest'
import { postgres } from '../../connector/src/sql/postgres.ts'
import { createSqlPharmacy } from '../src/sql/sql-pharmacy.ts'
import { tableDefinition } from '../src/sql/table-definition.ts'
import { readTablePlan } from '../src/sql/table-plan.ts'
import { connectorContract, type Fault } from '../../testing/src/index.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { startRelay } from '../../../test/support/relay.ts'
import { transferSubject } from '../../../test/support/transfer-subject.ts'

describeWithPostgres('a pharmacy with a table in PostgreSQL keeps the contract', () => {
  const plan = readTablePlan({})
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.close())

  async function startDatabase() {
    const address = new URL(await server.createDatabase())
    const client = new Client(address.href)
    await client.connect()
    await client.query(tableDefinition(plan, postgres))
    const relay = await startRelay(Number(address.port))
    address.port = String(relay.port)
    return {
      connect: () => createSqlPharmacy({ dialect: postgres, url: address.href, plan }),
      async held(resourceId: string) {
        const query = `select state from "${plan.table}" where transfer = $1 order by sequence`
        return (await client.query<{ state: string }>(query, [resourceId])).rows.map(({ state }) => state)
      },
      async fail(fault?: Fault) {
        await client.query(`alter table "${plan.table}" drop constraint if exists closed`)
        if (fault === 'refusal')
          await client.query(`alter table "${plan.table}" add constraint closed check (false) not valid`)
        if (fault === 'silence' || fault === 'lost_answer') relay.fail(fault)
        else relay.fail(fault === 'cut' || fault === 'unavailable' ? 'cut' : undefined)
      },
      connections: async () => relay.connections(),
      async close() {
        await relay.close()
        await client.end()
      },
    }
  }

  const faults = ['refusal', 'unavailable', 'silence', 'cut', 'lost_answer'] as const
  for (const { name, check } of connectorContract({ ...transferSubject, faults, start: startDatabase })) it(name, check)
})
