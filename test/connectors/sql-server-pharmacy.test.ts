import { DummyDriver, Kysely, MssqlAdapter, MssqlIntrospector, MssqlQueryCompiler } from 'kysely'
import { expect, it } from 'vitest'
import { sqlServer } from '../../src/connectors/sql/sql-server.ts'
import { tableDefinition } from '../../src/connectors/pharmacy/sql/table-definition.ts'
import { readTablePlan, type TablePlan, toRow } from '../../src/connectors/pharmacy/sql/table-plan.ts'
import { tellTransfer } from '../../src/connectors/pharmacy/tell-transfer.ts'
import type { TransferNotice } from '../../src/connectors/pharmacy/transfer-notice.ts'
import { createTestRun } from '../support/run-context.ts'
import { samplePriorAuthorization, sampleTransfer } from '../support/samples.ts'

/** Makes statements, and runs none. */
const compiler = new Kysely<Record<string, Record<string, unknown>>>({
  dialect: {
    createAdapter: () => new MssqlAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new MssqlIntrospector(db),
    createQueryCompiler: () => new MssqlQueryCompiler(),
  },
})

async function notice(): Promise<TransferNotice> {
  const told: TransferNotice[] = []
  const pa = samplePriorAuthorization({ prescription_transfer: sampleTransfer() })
  await tellTransfer(pa, createTestRun(), { now: () => 0 }, async (each) => void told.push(each))
  const [first] = told
  if (first === undefined) throw new Error('nothing was told')
  return first
}

const upsert = readTablePlan({
  PHARMACY_TABLE: 'rx.transfers',
  PHARMACY_TABLE_MODE: 'upsert',
  PHARMACY_COLUMNS: { 'Pa Id': 'data.prior_authorization_id', seq: 'sequence', state: 'data.status' },
})

const writeOf = async (plan: TablePlan) => ({ ...plan, row: toRow(plan, await notice(), sqlServer) })

it('SQL Server would insert a notice once', async () => {
  const { sql, parameters } = sqlServer.write(compiler, await writeOf(readTablePlan({})))
  expect(sql).toBe(
    'merge into "prescription_transfer_notices" with (holdlock) as target using (values (@1, @2, @3, @4)) as source ("transfer", "sequence", "state", "notice")' +
      ' on "target"."transfer" = "source"."transfer" and "target"."sequence" = "source"."sequence"' +
      ' when not matched then insert ("transfer", "sequence", "state", "notice") values ("source"."transfer", "source"."sequence", "source"."state", "source"."notice");',
  )
  expect(parameters).toEqual(['pa_req_1', 1, 'in_progress', expect.stringContaining('"Exampline"')])
})

it('SQL Server would update the row of a transfer, unless that is newer', async () => {
  const { sql, parameters } = sqlServer.write(compiler, await writeOf(upsert))
  expect(sql).toBe(
    'merge into "rx"."transfers" with (holdlock) as target using (values (@1, @2, @3)) as source ("Pa Id", "seq", "state")' +
      ' on "target"."Pa Id" = "source"."Pa Id"' +
      ' when matched and "source"."seq" > coalesce("target"."seq", 0) then update set "target"."seq" = "source"."seq", "target"."state" = "source"."state"' +
      ' when not matched then insert ("Pa Id", "seq", "state") values ("source"."Pa Id", "source"."seq", "source"."state");',
  )
  expect(parameters).toEqual(['pa_req_1', 1, 'in_progress'])
})

it('SQL Server would get a table with its own names and types', () => {
  expect(tableDefinition(upsert, sqlServer)).toBe(`create table [rx].[transfers] (
  [Pa Id] nvarchar(255) collate Latin1_General_100_BIN2 not null,
  [seq] bigint not null,
  [state] nvarchar(max),
  primary key ([Pa Id])
);`)
})

it.each([
  [{ number: 2627 }, { retry: 'never', mayBeOutage: false }],
  [{ number: 1205 }, { retry: 'backoff', isOutage: false }],
  [{ number: 4060 }, { retry: 'backoff', isOutage: true }],
  [{ number: 208 }, { reason: 'the table does not exist (208)', mayBeOutage: true }],
  [{ code: 'ELOGIN' }, { reason: 'the database cannot be used now (ELOGIN)', isOutage: true }],
])('what SQL Server says is judged by its number: %j', (said, verdict) => {
  expect(sqlServer.refusalOf(Object.assign(new Error('Testa Sample'), said))).toMatchObject(verdict)
})

it('a SQL Server that nobody answers for is an outage', async () => {
  const { db, cut } = await sqlServer.connect('mssql://pawl:canary-password@127.0.0.1:1/pharmacy')
  const error: unknown = await sqlServer.inspect(db, 'transfers').catch((reason: unknown) => reason)
  cut()
  expect(error).toMatchObject({ code: 'ESOCKET' })
  expect(JSON.stringify(error)).not.toContain('canary')
})
