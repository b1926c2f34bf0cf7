import { createHmac, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hashOf, signedText } from '../../src/audit/audit.ts'
import { createLedger } from '../../src/create-ledger.ts'
import type { Ledger } from '../../src/ledger.ts'
import { createSeal, type Seal } from '../../src/sealing/seal.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import type { Storage } from '../../src/storage.ts'
import { startWatchingTrail } from '../../src/audit/watch-trail.ts'
import { act } from '../../../../test/support/act.ts'
import { captureLog } from '../../../../test/support/log-capture.ts'
import { until } from '../../../../test/support/until.ts'
import { describeOnEachStorage, describeOnSqlite } from '../on-each-storage.ts'
import { aDelivery } from '../a-delivery.ts'

const [key, older, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)]

/** Signs as a forger who knows the code would, with an invented key id. */
const invented = {
  sign: (text: string) => `0badc0de:${createHmac('sha256', 'invented').update(text).digest('base64url')}`,
}
const unsigned = { sign: () => undefined }

/** Forgeries by a writer to the database who has no listed key. */
function describeForgeries(open: () => Promise<Storage>) {
  let storage: Storage
  let ledger: Ledger
  const withKeys = (keys: Uint8Array[]) => createLedger({ storage, seal: createSeal(keys) })
  const look = (by = ledger) => by.audit({ ...act, action: 'resource.view', resourceId: 'pa_req_1' })
  const faults = async (by: Ledger) => (await by.verifyAudit()).faults.map(({ says }) => says)
  const run = (text: string) => sql.raw(text).execute(storage.db)

  beforeEach(async () => {
    storage = await open()
    ledger = withKeys([key])
    for (let times = 0; times < 5; times += 1) await look()
    await ledger.accept(aDelivery())
  })
  afterEach(() => ledger.close())

  /** Writes the trail anew with these rows, each chained to the one before, and a head that fits. */
  async function rewrite(ids: readonly number[], { sign }: Pick<Seal, 'sign'>): Promise<void> {
    const { db } = storage
    const rows = (await db.selectFrom('audit').selectAll().orderBy('id').execute()).filter(({ id }) => ids.includes(id))
    await db.deleteFrom('audit').execute()
    let end = { last_id: 0, hash: '' }
    for (const { hash: _, signature: __, ...row } of rows) {
      const next = { ...row, actor: 'somebody-else', id: end.last_id + 1, previous: end.hash }
      const hash = hashOf(next)
      await db
        .insertInto('audit')
        .values({ ...next, hash, signature: sign(signedText.row(hash)) ?? null })
        .execute()
      end = { last_id: next.id, hash }
    }
    await db
      .updateTable('audit_head')
      .set({ ...end, signature: sign(signedText.head(end)) ?? null })
      .execute()
  }

  const cutTail = 'delete from audit where id > 3'
  const headOf3 = `update audit_head set last_id = 3, hash = (select hash from audit where id = 3)`
  const forgeries: Record<string, () => Promise<unknown>> = {
    'a tail cut off, with an invented key id in the head': async () => {
      await run(cutTail)
      await run(`${headOf3}, signature = '0badc0de:x'`)
    },
    'a tail cut off, with a head that is not signed': async () => {
      await run(cutTail)
      await run(`${headOf3}, signature = null`)
    },
    'a tail cut off, with the signature of its row in the head': async () => {
      await run(cutTail)
      await run(`${headOf3}, signature = (select signature from audit where id = 3)`)
    },
    'a trail that is emptied': () => run('delete from audit'),
    'a trail that is emptied, with its head': async () => {
      await run('delete from audit')
      await run('delete from audit_head')
    },
    'a trail that is emptied, with a head of nothing': async () => {
      await run('delete from audit')
      await run(`update audit_head set last_id = 0, hash = '', signature = null`)
    },
    'a chain computed anew, unsigned': () => rewrite([1, 2, 3, 4, 5], unsigned),
    'a chain computed anew under an invented key': () => rewrite([1, 2, 3, 4, 5], invented),
    'a chain computed anew under a foreign key': () => rewrite([1, 2, 3, 4, 5], createSeal([foreign])),
    'a chain without one row, computed anew under an invented key': () => rewrite([1, 2, 4, 5], invented),
    'two rows that changed places': async () => {
      await run('update audit set id = 99 where id = 2')
      await run('update audit set id = 2 where id = 3')
      await run('update audit set id = 3 where id = 99')
    },
    'a row of its own, behind the last': async () => {
      await run(`insert into audit select 6, at, actor, via, issuer, subject, action, resource_id, handler, reason, details, hash, hash, signature
        from audit where id = 5`)
      await run(`update audit_head set last_id = 6`)
    },
    'a row of its own, before the first': () =>
      run(`insert into audit select -7, at, actor, via, issuer, subject, action, resource_id, handler, reason, details, hash, hash, signature
        from audit where id = 5`),
    'a trail that is emptied, with all that it told of': async () => {
      for (const table of ['audit', 'audit_head', 'events', 'resources']) await run(`delete from ${table}`)
    },
    'the trail of another ledger that has the same key': () => rewrite([1, 2, 3, 4, 5], createSeal([key])),
  }
  it.each(Object.keys(forgeries))(
    '%s is detected by the running process and the next, and stays so after the next row, a restart and a key rotation',
    async (name) => {
      await forgeries[name]?.()
      for (const by of [ledger, withKeys([key])]) expect(await faults(by)).not.toEqual([])
      // A check that costs nothing looks at the end of the trail alone.
      if (!/places|before the first/.test(name)) await expectReported()
      for (const by of [ledger, withKeys([key]), withKeys([older, key])]) {
        await look(by)
        expect(await faults(by)).not.toEqual([])
      }
      await withKeys([older, key]).reseal({ cursor: undefined, dryRun: false }, act)
      for (const by of [ledger, withKeys([older])]) expect(await faults(by)).not.toEqual([])
    },
  )

  /** The state of the trail tells of a break before and after the next row, and the log does. */
  async function expectReported(): Promise<void> {
    expect((await ledger.auditState()).broken).toBeDefined()
    expect(await look()).toBe(false)
    const state = await ledger.auditState()
    expect(state).toMatchObject({ broken: undefined, lastBreak: { id: expect.any(Number) } })
    const { log, lines } = captureLog('info')
    const watch = startWatchingTrail({ ledger, log })
    await until('the log says it', () => lines().some(({ level }) => level === 'error' || level === 50))
    await watch.close()
    expect(lines().map(({ msg }) => msg)).toContain('the audit trail was altered: run pawl audit verify')
  }

  it('a new trail in an emptied ledger is detected, even after its contents come back', async () => {
    const { db } = storage
    const before = {
      key: await db.selectFrom('digest_key').selectAll().executeTakeFirstOrThrow(),
      resources: await db.selectFrom('resources').selectAll().execute(),
    }
    for (const table of ['audit', 'audit_head', 'digest_key', 'events', 'resources']) await run(`delete from ${table}`)
    const next = withKeys([key])
    await look(next)
    await next.digestKey()
    expect(await faults(next)).toEqual([])
    await db.updateTable('digest_key').set(before.key).execute()
    await db.insertInto('resources').values(before.resources).execute()
    for (const by of [next, withKeys([key])])
      expect(await faults(by)).toEqual(['this is not the trail that the ledger began with: it was replaced'])
    expect(await look(next)).toBe(false)
    expect(await look(next)).toBe(true)
    expect(await faults(next)).toEqual(['the trail was found altered when it was written'])
  })

  it('an older trail with its own head is detected by the process that wrote later rows, and by a noted head', async () => {
    const { db } = storage
    const before = await db.selectFrom('audit').selectAll().execute()
    const [headBefore] = await db.selectFrom('audit_head').selectAll().execute()
    await look()
    const { head } = await ledger.verifyAudit()
    await db.deleteFrom('audit').execute()
    await db.insertInto('audit').values(before).execute()
    await db
      .updateTable('audit_head')
      .set(headBefore ?? {})
      .execute()
    expect(await faults(ledger)).toEqual(['a row that this process wrote is gone: an older trail was put back'])
    // Nothing in the database tells the next process; a head in the log does.
    expect(await faults(withKeys([key]))).toEqual([])
    expect((await withKeys([key]).verifyAudit(head)).faults).toHaveLength(1)
    expect(await look()).toBe(false)
    expect(await faults(withKeys([key]))).toContain('the trail was found altered when it was written')
  })

  it('a leaked key that is no longer listed proves nothing', async () => {
    const rotated = withKeys([older, key])
    await look(rotated)
    // As each start does.
    await rotated.digestKey()
    const after = withKeys([older])
    expect(await faults(after)).toEqual([])
    await rewrite([1, 2, 3, 4, 5, 6], createSeal([key]))
    expect(await faults(after)).toEqual(['the head is signed with a key that SEALING_KEYS does not list'])
  })

  it('rotation signs the head with the new key', async () => {
    const rotated = withKeys([older, key])
    expect(await faults(withKeys([older]))).not.toEqual([])
    await rotated.reseal({ cursor: undefined, dryRun: false }, act)
    expect(await faults(withKeys([older]))).toEqual([])
  })

  it('verify accepts the head that the log named', async () => {
    const { log, lines } = captureLog('info')
    const watch = startWatchingTrail({ ledger, log, everyMs: 1 })
    const told = () => lines().filter(({ msg }) => msg === 'head of the audit trail')
    await until('the head is told', () => told().length > 0)
    for (let times = 0; times < 120; times += 1) await look()
    await until('it is told anew', () => told().length > 1)
    await watch.close()
    for (const { audit_head: text } of told()) {
      const [id, hash = ''] = String(text).split(':')
      expect((await ledger.verifyAudit({ id: Number(id), hash })).faults).toEqual([])
    }
  })
}

describeOnEachStorage('a forged audit trail', describeForgeries)

describeOnSqlite('an audit trail', (newPath) => {
  it('refuses an act whose entry a trigger drops', async () => {
    const storage = await openSqlite(newPath(), Date)
    const ledger = createLedger({ storage, seal: createSeal([key]) })
    const look = () => ledger.audit({ ...act, action: 'resource.view', resourceId: 'pa_req_1' })
    await look()
    const hide = (what: string) =>
      sql.raw(`create trigger hide before ${what} begin select raise(ignore); end`).execute(storage.db)
    for (const what of ['insert on audit', 'update on audit_head']) {
      await hide(what)
      await expect(look()).rejects.toMatchObject({ code: 'audit_unwritten' })
      await sql`drop trigger hide`.execute(storage.db)
    }
    await look()
    expect(await ledger.verifyAudit()).toMatchObject({ rows: 2, faults: [] })
    await ledger.close()
  })
})
