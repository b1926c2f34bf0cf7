import { afterEach, expect, it } from 'vitest'
import { PharmacyWriteFailed } from '../src/pharmacy-write-failed.ts'
import { createSqlPharmacy } from '../src/sql/sql-pharmacy.ts'
import type { SqlDialect } from '../../connector/src/sql/dialect.ts'
import { tableDefinition } from '../src/sql/table-definition.ts'
import type { PharmacySettings } from '../src/settings.ts'
import { readTablePlan } from '../src/sql/table-plan.ts'
import { startRelay } from '../../../test/support/relay.ts'
import { createTestRun } from '../../../test/support/run-context.ts'
import { ranksOf } from '../../../test/support/ranks.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../../test/support/samples.ts'

/** A real database that a pharmacy's table is in. */
export interface TestDatabase {
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>
  /** Runs a statement as a user who may do everything; resolves with its rows. */
  ask(url: string, statement: string): Promise<Record<string, unknown>[]>
  /** The address of the same database for a user who may only read the table. */
  createReader(url: string, table: string): Promise<string>
  /** The address of the same database for a user who may write to the table while the server is not set read-only. */
  createWriter(url: string, table: string): Promise<string>
  setReadOnly(url: string, isReadOnly: boolean): Promise<void>
  pause(): void
  resume(): void
}

const outbox = readTablePlan({})
const upsertSettings: PharmacySettings = {
  PHARMACY_TABLE: 'transfers',
  PHARMACY_TABLE_MODE: 'upsert',
  PHARMACY_COLUMNS: {
    'Pa Id': 'data.prior_authorization_id',
    seq: 'sequence',
    state: 'data.status',
    confirmed: 'data.confirmed',
    changed_at: 'timestamp',
    prescribed_at: 'data.prescription.prescription_date',
    drug: 'data.prescription.drug_name',
    quantity: 'data.prescription.quantity',
    attempts: 'data.transfer_attempts',
  },
}
const upsert = readTablePlan(upsertSettings)

const transferred = (different: Record<string, unknown> = {}, id = 'pa_req_1') =>
  samplePriorAuthorization({ id, prescription_transfer: sampleTransfer(different) })

/** Contract of every database as a pharmacy's own table. `start` is called when the tests begin. */
export function describeSqlPharmacy(dialect: SqlDialect, database: () => TestDatabase): void {
  const ended: (() => Promise<void> | undefined)[] = []
  afterEach(async () => {
    for (const end of ended.splice(0)) await end()
  })

  async function open(plan: typeof outbox, { url, timeoutMs = 15_000 }: { url?: string; timeoutMs?: number } = {}) {
    const address = url ?? (await database().createDatabase())
    if (url === undefined) await database().ask(address, tableDefinition(plan, dialect))
    const system = createSqlPharmacy({ dialect, url: address, plan, timeoutMs })
    ended.push(() => system.close?.())
    const rows = (from = address) => database().ask(from, `select * from ${dialect.quote(plan.table)} order by 1, 2`)
    return { url: address, system, rows }
  }

  const failureOf = (told: Promise<void>): Promise<unknown> =>
    told.then(() => undefined).catch((error: unknown) => error)

  it('an outbox gets one row for each notice, despite retries', async () => {
    const { system, rows } = await open(outbox)
    const run = createTestRun()
    for (const confirmed of [false, true, true, false])
      await system.open(run).putPrescriptionTransfer(transferred({ confirmed }))
    const [taken] = [await run.memory.read('transfer_sent')]
    // As after a crash before the answer: the same notice is told again.
    await run.memory.write('transfer_taken', { id: 'of another' })
    await system.open(run).putPrescriptionTransfer(transferred({ confirmed: false }))
    await system.open(createTestRun()).putPrescriptionTransfer(transferred({}, 'pa_req_2'))
    const written = await rows()
    expect(written.map(({ transfer, state }) => [transfer, state])).toEqual([
      ['pa_req_1', 'in_progress'],
      ['pa_req_1', 'in_progress'],
      ['pa_req_1', 'in_progress'],
      ['pa_req_2', 'in_progress'],
    ])
    expect(ranksOf(written.slice(0, 3).map(({ sequence }) => Number(sequence)))).toEqual([1, 2, 3])
    const { notice } = written[2] ?? {}
    expect(typeof notice === 'string' ? JSON.parse(notice) : notice).toMatchObject({
      id: taken?.id,
      sequence: Number(written[2]?.sequence),
    })
  })

  it('an upsert keeps one row of each transfer, with the columns that the settings map', async () => {
    const { system, rows } = await open(upsert)
    const run = createTestRun()
    const prescription = {
      drug_name: "O'Exampline \\ \u{1f48a}",
      quantity: 30,
      prescription_date: '2026-02-27T09:30:00+01:00',
    }
    await system.open(run).putPrescriptionTransfer({ ...transferred(), prescription })
    await system
      .open(run)
      .putPrescriptionTransfer({ ...transferred({ status: 'completed', confirmed: true }), prescription })
    await system.open(createTestRun()).putPrescriptionTransfer(transferred({}, 'pa_req_2'))
    const [row, ...others] = await rows()
    expect(others).toHaveLength(1)
    expect({
      ...row,
      quantity: Number(row?.quantity),
      confirmed: Boolean(row?.confirmed),
    }).toMatchObject({
      'Pa Id': 'pa_req_1',
      state: 'completed',
      confirmed: true,
      drug: "O'Exampline \\ \u{1f48a}",
      quantity: 30,
      prescribed_at: new Date('2026-02-27T08:30:00Z'),
    })
    expect(row?.changed_at).toBeInstanceOf(Date)
    expect(typeof row?.attempts === 'string' ? JSON.parse(row.attempts) : row?.attempts).toEqual([
      { timestamp: '2026-03-01T10:00:00Z', pharmacy_ncpdp_id: '7654321' },
    ])
  })

  it('two transfers whose ids differ by capitals alone are two rows', async () => {
    const { system, rows } = await open(upsert)
    for (const id of ['pa_req_aB', 'pa_req_Ab'])
      await system.open(createTestRun()).putPrescriptionTransfer(transferred({}, id))
    expect(await rows()).toHaveLength(2)
  })

  it('an upsert is not undone by an older notice that comes late', async () => {
    const { system, rows } = await open(upsert)
    const [late, newer] = [createTestRun(), createTestRun()]
    await newer.memory.write('transfer_sent', {
      id: 'msg_before',
      version: '7000000006 2026-03-01T10:00:00.000Z',
      digest: 'before',
    })
    await system.open(newer).putPrescriptionTransfer(transferred({ status: 'completed' }))
    await late.memory.write('transfer_sent', {
      id: 'msg_before',
      version: '7000000004 2026-03-01T10:00:00.000Z',
      digest: 'before',
    })
    await system.open(late).putPrescriptionTransfer(transferred({ status: 'in_progress' }))
    expect((await rows()).map(({ seq, state }) => [Number(seq), state])).toEqual([[7_000_000_007, 'completed']])
  })

  it('an upsert takes over a row that the pharmacy made without a sequence', async () => {
    const { url, system, rows } = await open(upsert)
    const columns = ['Pa Id', 'state'].map(dialect.quote).join(', ')
    await database().ask(url, `alter table transfers drop column seq`)
    await database().ask(url, `alter table transfers add seq bigint`)
    await database().ask(url, `insert into transfers (${columns}) values ('pa_req_1', 'expected')`)
    await system.open(createTestRun()).putPrescriptionTransfer(transferred())
    expect((await rows()).map(({ seq, state }) => [Number(seq) > 0, state])).toEqual([[true, 'in_progress']])
  })

  for (const [mode, plan] of [
    ['an outbox', outbox],
    ['an upsert', upsert],
  ] as const) {
    it(`${mode} has one row where the answer to the write was lost`, async () => {
      const { url, rows } = await open(plan)
      const relayed = new URL(url)
      const relay = await startRelay(Number(relayed.port))
      ended.push(relay.close)
      relayed.port = String(relay.port)
      const { system } = await open(plan, { url: relayed.href })
      await system.open(createTestRun()).putPrescriptionTransfer(transferred({}, 'pa_req_0'))
      const run = createTestRun()
      relay.fail('lost_answer')
      const error = await failureOf(system.open(run).putPrescriptionTransfer(transferred()))
      expect(error).toBeInstanceOf(PharmacyWriteFailed)
      expect(error).toMatchObject({ retry: 'backoff', isOutage: true })
      expect(await rows()).toHaveLength(2)
      relay.fail()
      await system.open(run).putPrescriptionTransfer(transferred())
      expect(await rows()).toHaveLength(2)
      expect(run.receipts).toHaveLength(1)
    })
  }

  it('a database that is away is an outage, and its password is in no error', async () => {
    const { url } = await open(outbox)
    const away = new URL(url)
    away.port = '1'
    away.password = 'canary-password'
    const { system } = await open(outbox, { url: away.href })
    const error = await failureOf(system.open(createTestRun()).putPrescriptionTransfer(transferred()))
    expect(error).toMatchObject({ code: 'pharmacy_write_failed', retry: 'backoff', isOutage: true })
    expect(String(error)).toContain('no connection (ECONNREFUSED)')
    expect(String(error)).not.toContain('canary')
    expect(await system.check?.(new AbortController().signal)).toEqual({
      ok: false,
      findings: [`${dialect.name}: no connection (ECONNREFUSED).`],
    })
  })

  it('a server that takes no writes is an outage, and its connection is not used again', async () => {
    const { url, rows } = await open(outbox)
    const relayed = new URL(await database().createWriter(url, outbox.table))
    const relay = await startRelay(Number(relayed.port))
    ended.push(relay.close)
    relayed.port = String(relay.port)
    const { system } = await open(outbox, { url: relayed.href })
    await system.open(createTestRun()).putPrescriptionTransfer(transferred({}, 'pa_req_0'))
    const run = createTestRun()
    await database().setReadOnly(url, true)
    try {
      const error = await failureOf(system.open(run).putPrescriptionTransfer(transferred()))
      expect(error).toMatchObject({ retry: 'backoff', isOutage: true })
      await expect.poll(() => relay.connections()).toBe(0)
    } finally {
      await database().setReadOnly(url, false)
    }
    await system.open(run).putPrescriptionTransfer(transferred())
    expect(await rows()).toHaveLength(2)
  })

  it('a database that hangs is given up in time, and found again', async () => {
    const { url, rows } = await open(outbox)
    const { system } = await open(outbox, { url, timeoutMs: 300 })
    await until(system)
    database().pause()
    const run = createTestRun()
    try {
      const error = await failureOf(system.open(run).putPrescriptionTransfer(transferred({}, 'pa_req_2')))
      expect(error).toMatchObject({ retry: 'backoff', isOutage: true })
      expect(String(error)).toContain('no answer in time')
    } finally {
      database().resume()
    }
    const patient = createSqlPharmacy({ dialect, url, plan: outbox })
    ended.push(() => patient.close?.())
    await patient.open(run).putPrescriptionTransfer(transferred({}, 'pa_req_2'))
    expect(await rows()).toHaveLength(2)
  })

  /** The first write, which makes the connection, however slow the machine. */
  async function until(system: ReturnType<typeof createSqlPharmacy>): Promise<void> {
    for (;;) {
      const run = createTestRun()
      const error = await failureOf(system.open(run).putPrescriptionTransfer(transferred()))
      if (error === undefined) return
      expect(error).toMatchObject({ message: expect.stringContaining('no answer in time') })
    }
  }

  it('a refusal of the database says why and quotes nothing of the patient', async () => {
    const { url, system } = await open(upsert)
    await database().ask(url, `alter table transfers drop column drug`)
    await database().ask(url, `alter table transfers add drug varchar(3)`)
    const error = await failureOf(system.open(createTestRun()).putPrescriptionTransfer(transferred()))
    expect(error).toMatchObject({ retry: 'never', isOutage: false, mayBeOutage: false })
    expect(String(error)).toMatch(/pa_req_1: a value does not fit its column or breaks a rule of the table \(\w+\)/)
    expect(String(error)).not.toContain('Exampline')
  })

  it('a missing table, column or key is named by the check and by the first write', async () => {
    const url = await database().createDatabase()
    const { system } = await open(upsert, { url })
    const says = async (finding: string) => {
      expect(await system.check?.(new AbortController().signal)).toEqual({ ok: false, findings: [finding] })
      const error = await failureOf(system.open(createTestRun()).putPrescriptionTransfer(transferred()))
      expect(error).toMatchObject({ retry: 'never', isOutage: false, mayBeOutage: true })
      expect(String(error)).toContain(finding)
    }
    await says('The table transfers does not exist, or its user may not see it.')
    const definition = tableDefinition(upsert, dialect)
    const lines = definition.split('\n')
    await database().ask(url, lines.filter((line) => !/drug|attempts/.test(line)).join('\n'))
    await says('The table transfers lacks the columns drug, attempts.')
    await database().ask(url, 'drop table transfers')
    await database().ask(url, definition.replace(/,\n.*primary key.*\n/, '\n'))
    await says('The table transfers has no unique key on Pa Id.')
    await database().ask(url, 'drop table transfers')
    await database().ask(url, definition)
    expect(await system.check?.(new AbortController().signal)).toEqual({
      ok: true,
      findings: [`${dialect.name} answers, and transfers can be written to.`],
    })
  })

  it('a user who may not write is told so', async () => {
    const { url } = await open(upsert)
    const reader = await database().createReader(url, 'transfers')
    const { system } = await open(upsert, { url: reader })
    expect(await system.check?.(new AbortController().signal)).toEqual({
      ok: false,
      findings: ['The user may not insert into transfers, or not read it.', 'The user may not update transfers.'],
    })
    const error = await failureOf(system.open(createTestRun()).putPrescriptionTransfer(transferred()))
    expect(error).toMatchObject({ retry: 'never', mayBeOutage: true })
  })

  it('nothing is written by a run that may not act any more, nor by one that is given up', async () => {
    const { system, rows } = await open(outbox)
    let asked = 0
    const late = createTestRun({
      assertMayAct() {
        asked += 1
        // It may act when it begins, and no longer once there is a connection.
        if (asked > 1)
          throw new PharmacyWriteFailed({ resourceId: 'x', reason: 'claim lost', retry: 'never', isOutage: false })
      },
    })
    await expect(system.open(late).putPrescriptionTransfer(transferred())).rejects.toThrow('claim lost')
    const stopped = createTestRun({ signal: AbortSignal.abort() })
    const error = await failureOf(system.open(stopped).putPrescriptionTransfer(transferred()))
    expect(error).toMatchObject({ retry: 'backoff', isOutage: false })
    expect(await rows()).toEqual([])
  })
}
