import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toAuditEvent } from '../../../console/src/contract/audit-event.ts'
import { hashOf } from '../../src/audit/audit.ts'
import { auditActions } from '../../src/audit/audit-entry.ts'
import { createLedger } from '../../src/create-ledger.ts'
import type { Ledger } from '../../src/ledger.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import type { Storage } from '../../src/storage.ts'
import { act } from '../../../../test/support/act.ts'
import { faultsOf } from '../../../../test/support/fhir-validators.ts'
import { describeOnPostgres } from '../../../../test/support/postgres.ts'
import { describeOnEachStorage, describeOnSqlite } from '../on-each-storage.ts'
import { aDelivery } from '../a-delivery.ts'

const [older, newer] = [randomBytes(32), randomBytes(32)]

/** The audit trail of a ledger, on any kind of storage. */
function describeTrail(open: () => Promise<Storage>) {
  let storage: Storage
  let ledger: Ledger

  beforeEach(async () => {
    storage = await open()
    ledger = withKeys([older])
  })
  afterEach(() => ledger.close())

  const withKeys = (keys: Uint8Array[]) => createLedger({ storage, seal: createSeal(keys) })
  const look = (by = ledger, resourceId = 'pa_req_1') => by.audit({ ...act, action: 'resource.view', resourceId })
  const faults = async (by = ledger) => (await by.verifyAudit()).faults
  const actions = async () => (await ledger.readAudit({}, 100)).map(({ action }) => action)

  async function lookOften(times: number, by = ledger): Promise<void> {
    for (let n = 0; n < times; n += 1) await look(by)
  }

  it('is intact when empty and after many acts, and records who did what', async () => {
    expect(await ledger.verifyAudit()).toMatchObject({ rows: 0, signedSince: undefined, head: { id: 0 }, faults: [] })
    await Promise.all(Array.from({ length: 600 }, () => look()))
    await ledger.audit({ ...act, action: 'work.discard', handler: 'chart', reason: 'Done by hand', details: { n: 1 } })
    const verdict = await ledger.verifyAudit()
    expect(verdict).toMatchObject({ rows: 601, signed: 601, unknownKeys: 0, head: { id: 601 }, faults: [] })
    const [entry] = await ledger.readAudit({ after: 600 }, 10)
    expect(entry).toMatchObject({
      id: 601,
      actor: act.actor,
      action: 'work.discard',
      handler: 'chart',
      reason: 'Done by hand',
      details: { n: 1 },
      isSigned: true,
    })
    expect(await ledger.readAudit({ action: 'work.retry' }, 10)).toEqual([])
    expect(await ledger.readAudit({ resourceId: 'pa_req_1', since: Date.now() + 60_000 }, 10)).toEqual([])
  })

  it.each<[string, string, number]>([
    ['the actor', `update audit set actor = 'other' where id = 3`, 3],
    ['the account of the actor', `update audit set subject = 'u-2' where id = 3`, 3],
    ['the time', `update audit set at = at + 1 where id = 3`, 3],
    ['the reason', `update audit set reason = 'x' where id = 3`, 3],
    ['the details', `update audit set details = '{"a":1}' where id = 3`, 3],
    ['the resource', `update audit set resource_id = null where id = 3`, 3],
    ['the hash', `update audit set hash = 'x' where id = 3`, 3],
  ])('shows a change of %s', async (_, change, id) => {
    await lookOften(5)
    await sql.raw(change).execute(storage.db)
    expect((await faults())[0]).toEqual({ id, says: 'it was changed' })
  })

  it('shows the removal of a row from its beginning, middle and end', async () => {
    await lookOften(5)
    await sql`delete from audit where id = 5`.execute(storage.db)
    expect(await faults()).toEqual([{ id: 4, says: 'the end of the trail was cut off or changed' }])
    await sql`delete from audit where id in (1, 3)`.execute(storage.db)
    expect((await faults()).slice(0, 2)).toEqual([
      { id: 2, says: 'a row before it is missing' },
      { id: 4, says: 'a row before it is missing' },
    ])
    await sql`delete from audit`.execute(storage.db)
    expect(await faults()).toEqual([{ id: 0, says: 'the end of the trail was cut off or changed' }])
  })

  it('cannot be shortened or rehashed without a key', async () => {
    await lookOften(3)
    await sql`delete from audit where id = 3`.execute(storage.db)
    // A head made without the key.
    const previous = sql`(select hash from audit where id = 2)`
    await sql`update audit_head set last_id = 2, hash = ${previous}`.execute(storage.db)
    expect(await faults()).toEqual([{ id: 2, says: 'the signature of the head is wrong' }])
    await sql`update audit_head set signature = null`.execute(storage.db)
    expect(await faults()).toEqual([{ id: 2, says: 'the head is not signed, though this pawl has a key' }])
    await sql`update audit_head set signature = (select signature from audit where id = 2)`.execute(storage.db)
    expect(await faults()).toEqual([{ id: 2, says: 'the signature of the head is wrong' }])
  })

  it('reports an alteration for ever, even after later entries', async () => {
    await lookOften(3)
    await sql`delete from audit where id = 3`.execute(storage.db)
    expect(await look()).toBe(false)
    expect(await look()).toBe(true)
    expect(await actions()).toEqual(['resource.view', 'resource.view', 'audit.break', 'resource.view', 'resource.view'])
    expect((await faults()).map(({ says }) => says)).toContain('the trail was found altered when it was written')
  })

  it('keeps a break open until it is acknowledged, and names its row even before one records it', async () => {
    const acknowledge = (row: number) => ledger.acknowledgeBreak({ ...act, row, reason: 'a restore' })
    const lastBreak = async () => (await ledger.auditState()).lastBreak?.id
    await lookOften(2)
    expect(await acknowledge(2)).toBeUndefined()
    await sql`delete from audit where id = 2`.execute(storage.db)
    // The row was not there to be seen before.
    expect(await acknowledge(2)).toBe(3)
    expect(await lastBreak()).toBe(3)
    expect(await acknowledge(3)).toBe(3)
    expect(await actions()).toEqual(['resource.view', 'audit.break', 'audit.acknowledge'])
    expect(await ledger.auditState()).toMatchObject({ head: { id: 4 }, broken: undefined, lastBreak: undefined })
    expect((await faults()).map(({ id }) => id)).toContain(3)
    await sql`delete from audit where id = 4`.execute(storage.db)
    await look()
    expect(await lastBreak()).toBe(5)
    expect(await acknowledge(3)).toBe(5)
    expect(await lastBreak()).toBe(5)
    expect(await acknowledge(5)).toBe(5)
    expect(await acknowledge(5)).toBeUndefined()
  })

  it('continues under a new key, and stays verifiable without the old one', async () => {
    await lookOften(2)
    const rotated = withKeys([newer, older])
    await lookOften(2, rotated)
    expect(await rotated.verifyAudit()).toMatchObject({ rows: 4, signed: 4, signedSince: { id: 1 }, faults: [] })
    const after = withKeys([newer])
    expect(await after.verifyAudit()).toMatchObject({ signed: 2, unknownKeys: 2, faults: [] })
    await sql`update audit set actor = 'other' where id = 1`.execute(storage.db)
    expect((await faults(after))[0]).toEqual({ id: 1, says: 'it was changed' })
  })

  it('names the row where signing began; only a head noted before vouches for it', async () => {
    const unsigned = withKeys([])
    await lookOften(2, unsigned)
    const { head } = await unsigned.verifyAudit()
    const signing = withKeys([older])
    expect(await look(signing)).toBe(false)
    const says = 'the trail was found altered when it was written'
    expect(await signing.verifyAudit()).toMatchObject({ rows: 4, signedSince: { id: 3 }, faults: [{ id: 3, says }] })
    expect(await signing.verifyAudit(head)).toMatchObject({ rows: 4, faults: [] })
    await sql`update audit set actor = 'other' where id = 1`.execute(storage.db)
    expect((await signing.verifyAudit(head)).faults).toEqual([{ id: 1, says: 'it was changed' }])
  })

  it('recognises a head that was noted elsewhere', async () => {
    await lookOften(2)
    const { head } = await ledger.verifyAudit()
    await lookOften(1)
    expect((await ledger.verifyAudit(head)).faults).toEqual([])
    const other = { ...head, hash: '0'.repeat(64) }
    expect((await ledger.verifyAudit(other)).faults).toEqual([{ id: 2, says: 'it is not the row that was noted' }])
    expect((await ledger.verifyAudit({ ...head, id: 9 })).faults).toHaveLength(1)
  })

  it('of a ledger without keys shows a row rewritten with its hash and link', async () => {
    const unsigned = withKeys([])
    await lookOften(3, unsigned)
    const { head } = await unsigned.verifyAudit()
    const { db } = storage
    const first = db.selectFrom('audit').selectAll().where('id', '=', 1)
    const { hash: _, signature: __, ...row } = await first.executeTakeFirstOrThrow()
    const forged = { ...row, actor: 'somebody-else' }
    const hash = hashOf(forged)
    await db
      .updateTable('audit')
      .set({ ...forged, hash })
      .where('id', '=', 1)
      .execute()
    await db.updateTable('audit').set({ previous: hash }).where('id', '=', 2).execute()
    expect((await unsigned.verifyAudit(head)).faults).toEqual([{ id: 2, says: 'it was changed' }])
  })

  it('reports the state of its end without a lock, unless the end seems broken', async () => {
    let locks = 0
    const lockAudit: Storage['lockAudit'] = (trx) => ((locks += 1), storage.lockAudit(trx))
    const watched = createLedger({ storage: { ...storage, lockAudit }, seal: createSeal([older]) })
    await lookOften(2)
    expect(await watched.auditState()).toMatchObject({ head: { id: 2 }, broken: undefined, lastBreak: undefined })
    expect(locks).toBe(0)
    await sql`delete from audit where id = 2`.execute(storage.db)
    expect(await watched.auditState()).toMatchObject({ broken: 'cut' })
    expect(locks).toBe(1)
  })

  it('reports and records a change of its last row', async () => {
    await lookOften(2)
    await sql`update audit set reason = 'another' where id = 2`.execute(storage.db)
    expect(await ledger.auditState()).toMatchObject({ broken: 'changed', lastBreak: undefined })
    await look()
    expect(await ledger.auditState()).toMatchObject({ broken: undefined, lastBreak: { id: 3 } })
    expect(await ledger.listAudit({ action: 'audit.break' }, 5)).toMatchObject([{ details: { reason: 'changed' } }])
  })

  it('refuses every act that it cannot record', async () => {
    await look()
    await ledger.accept(aDelivery())
    const claim = await ledger.claim('pa_req_1', 1_000, {})
    if (claim === undefined) throw new Error('not claimed')
    const at = { startedAt: 1, finishedAt: 2, firstEventId: 1, lastEventId: 1, writes: [] }
    const run = { ...at, handler: 'chart', error: { code: 'no', message: 'no' }, attempts: 1, delayMs: undefined }
    await ledger.release(claim, { notes: [{ of: 'failure', run }], dueInMs: undefined, restMs: 0 })
    await sql`alter table audit rename to audit_away`.execute(storage.db)
    await expect(ledger.retryWork({}, act)).rejects.toThrow()
    expect((await ledger.counts()).parked).toBe(1)
    await sql`alter table audit_away rename to audit`.execute(storage.db)
    expect((await ledger.retryWork({ handler: 'chart' }, { ...act, reason: 'mended' })).retried).toHaveLength(1)
    const [entry] = await ledger.readAudit({ after: 1 }, 10)
    expect(entry).toMatchObject({ action: 'work.retry', handler: 'chart', reason: 'mended' })
    expect(entry?.details).toEqual({ count: 1, resources: ['pa_req_1'] })
  })
}

describeOnEachStorage('the audit trail', describeTrail)

describeOnSqlite('the audit trail of two processes', (newPath) => {
  it('is one chain', async () => {
    const path = newPath()
    const [one, two] = [await openSqlite(path, Date), await openSqlite(path, Date)]
    const ledgers = [one, two].map((storage) => createLedger({ storage, seal: createSeal([older]) }))
    // On one thread, a wait for the lock of the file blocks its holder.
    for (let round = 0; round < 3; round += 1)
      for (const ledger of ledgers) await ledger.audit({ ...act, action: 'resource.view' })
    for (const ledger of ledgers) expect(await ledger.verifyAudit()).toMatchObject({ rows: 6, faults: [] })
    for (const ledger of ledgers) await ledger.close()
  })
})

describeOnPostgres('the audit trail of two processes on PostgreSQL', (createLedgerDatabase) => {
  it('is one chain', async () => {
    const url = await createLedgerDatabase()
    const one = await openPostgres(url, () => {})
    const two = await openPostgres(url, () => {})
    const ledgers = [one, two].map((storage) => createLedger({ storage, seal: createSeal([older]) }))
    for (let round = 0; round < 10; round += 1)
      await Promise.all(ledgers.map((ledger) => ledger.audit({ ...act, action: 'resource.view' })))
    for (const ledger of ledgers) expect(await ledger.verifyAudit()).toMatchObject({ rows: 20, faults: [] })
    for (const ledger of ledgers) await ledger.close()
  })
})

describe('an entry of the audit trail', () => {
  it.each(auditActions)('%s is an AuditEvent that FHIR validators accept', (action) => {
    const entry = { id: 7, at: 1_800_000_000_000, hash: '0'.repeat(64), action, details: { count: 2, names: [] } }
    const whole = { ...entry, resourceId: 'pa_req_1', handler: 'chart', reason: 'Done by hand' }
    for (const via of ['process', 'admin', 'command'] as const) {
      expect(faultsOf(toAuditEvent({ ...entry, actor: { name: 'pawl', via } }))).toEqual([])
      expect(faultsOf(toAuditEvent({ ...whole, actor: { name: 'maria@ops-1', via } }))).toEqual([])
    }
  })

  it('names the actor, application, server, subject and reason', () => {
    const event = toAuditEvent({
      id: 7,
      at: 1_800_000_000_000,
      actor: act.actor,
      action: 'work.discard',
      resourceId: 'pa_req_1',
      reason: 'Done by hand',
      details: {},
      hash: 'abc',
    })
    expect(event.recorded).toBe('2027-01-15T08:00:00.000Z')
    expect(event.agent.map(({ who, requestor }) => [who?.display, requestor])).toEqual([
      ['command line', false],
      ['pawl', false],
      ['tester@desk', true],
    ])
    expect(event.entity?.[0]?.what?.identifier?.value).toBe('pa_req_1')
    expect(event.purposeOfEvent).toEqual([{ text: 'Done by hand' }])
  })
})
