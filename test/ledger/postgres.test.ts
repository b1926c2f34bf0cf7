import { afterAll, beforeAll } from 'vitest'
import { createLedger } from '../../src/ledger/create-ledger.ts'
import { openPostgres } from '../../src/ledger/postgres.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { describeLedger } from './ledger-contract.ts'

describeWithPostgres('with a real server', () => {
  let postgres: TestPostgres

  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())

  describeLedger('PostgreSQL', async () => {
    const url = await postgres.createDatabase()
    return {
      async open({ clock, seal }) {
        const storage = await openPostgres(url, () => {})
        // The contract moves time by hand.
        return createLedger({ storage: { ...storage, now: () => Promise.resolve(clock.now()) }, seal })
      },
      destroy: () => Promise.resolve(),
    }
  })
})
