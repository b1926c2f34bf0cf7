import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLedger } from '../../src/create-ledger.ts'
import type { Ledger } from '../../src/ledger.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import type { Storage } from '../../src/storage.ts'
import { snapshotFacts } from '../../../../src/work/snapshot.ts'
import { act } from '../../../../test/support/act.ts'
import { describeOnEachStorage } from '../on-each-storage.ts'
import { aDelivery } from '../a-delivery.ts'

const [older, newer] = [randomBytes(32), randomBytes(32)]
/** More than one step goes through. */
const count = 45

/** Changing the sealing key of a ledger, on any kind of storage. */
function describeResealing(open: () => Promise<Storage>) {
  let storage: Storage
  let ledger: Ledger
  let heard = 0

  beforeEach(async () => {
    storage = await open()
    ledger = withKeys([older])
  })
  afterEach(() => ledger.close())

  const withKeys = (keys: Uint8Array[], acceptsPlain = false) =>
    createLedger({ storage, seal: createSeal(keys, { acceptsPlain }) })

  const hear = (id: string | undefined) =>
    ledger.accept(
      aDelivery({
        resourceId: id,
        kind: id === undefined ? undefined : 'prior_authorization',
        body: { of: id ?? 'nobody', heard: (heard += 1) },
      }),
    )

  /** Leaves a sealed value in every column that has some. */
  async function fill(): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const id = `pa_req_${n}`
      await hear(id)
      const claim = await ledger.claim(id, 60_000, {})
      if (claim === undefined) throw new Error(`${id} could not be claimed`)
      const data = { id, status: 'processing', patient: { mrn: `MRN-${n}` } }
      const text = JSON.stringify(data)
      const run = { handler: 'chart', startedAt: 1, finishedAt: 2, firstEventId: 1, lastEventId: 1, writes: [] }
      const error = { code: 'refused', message: 'The chart is locked.' }
      const facts = snapshotFacts(undefined, { kind: 'prior_authorization', data, text, readAt: 1 })
      const eventId = claim.newestEventId
      await ledger.record(claim, [{ of: 'snapshot', text, eventId, terminal: false, pollInMs: undefined, facts }])
      await ledger.release(claim, {
        notes: [
          { of: 'failure', run: { ...run, handler: 'desk', error, attempts: 1, delayMs: undefined } },
          { of: 'success', run },
        ],
        dueInMs: undefined,
        restMs: 0,
      })
      await ledger.recordEffect(id, 'chart', 'announced', '{"channel":"team"}')
    }
    await hear(undefined)
    await ledger.catchUp()
  }

  async function reseal(by: Ledger, dryRun = false) {
    const sum = { keys: {} as Record<string, number>, resealed: 0, unreadable: 0, steps: 0 }
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const step = await by.reseal({ cursor, dryRun }, act)
      for (const [key, found] of Object.entries(step.keys)) sum.keys[key] = (sum.keys[key] ?? 0) + found
      sum.resealed += step.resealed
      sum.unreadable += step.unreadable
      sum.steps += 1
      cursor = step.cursor
    }
    return sum
  }
  /** Of each resource a body, a snapshot and its identity, the result of an effect and the groups of the report; and one body without a resource. */
  const all = count * 5 + 1
  const keyOf = (key: Uint8Array) => createSeal([key]).keyOf(createSeal([key]).seal(Buffer.from('{}'), '' as never))

  /** The readable content of one resource. */
  async function readAll(by: Ledger, id: string) {
    await hear(id)
    const claim = await by.claim(id, 60_000, { prior_authorization: ['chart', 'desk'] })
    if (claim === undefined) throw new Error(`${id} could not be claimed`)
    await by.release(claim, { notes: [], dueInMs: undefined, restMs: 0 })
    return {
      bodies: (await by.bodies(id)).map(({ body }) => Buffer.from(body).toString()),
      snapshot: claim.snapshot?.document,
      baseline: claim.progress.get('chart')?.baseline,
      tried: claim.progress.get('desk')?.tried,
      effect: await by.effect(id, 'chart', 'announced'),
    }
  }

  it('reseals every value with the newest key, so that the old one can be removed', async () => {
    await fill()
    const before = await readAll(ledger, 'pa_req_7')
    await reseal(ledger)
    const rotated = withKeys([newer, older])
    const done = await reseal(rotated)
    // With what was heard meanwhile, and the key of digests.
    expect(done).toMatchObject({ resealed: all + 2, unreadable: 0 })
    expect(done.steps).toBeGreaterThan(2)
    ledger = withKeys([newer])
    expect(await reseal(ledger, true)).toMatchObject({ keys: { [keyOf(newer)]: all + 1 }, resealed: 0 })
    const after = await readAll(ledger, 'pa_req_7')
    expect({ ...after, bodies: after.bodies.slice(0, 2) }).toEqual(before)
    expect(await ledger.find({ value: 'MRN-7', fields: ['mrn'] }, 10)).toMatchObject([{ id: 'pa_req_7', by: 'mrn' }])
  })

  it('only counts in a dry run, and continues from its cursor', async () => {
    await fill()
    const rotated = withKeys([newer, older])
    expect(await reseal(rotated, true)).toMatchObject({ keys: { [keyOf(older)]: all + 1 }, resealed: all + 1 })
    await rotated.reseal({ cursor: undefined, dryRun: false }, act)
    const rest = await reseal(rotated)
    expect(rest.keys).toMatchObject({ [keyOf(newer)]: 80, [keyOf(older)]: all - 80 })
    expect(rest.resealed).toBe(all - 80)
    expect(await reseal(rotated, true)).toMatchObject({ resealed: 0 })
  })

  it('seals values stored before the first key', async () => {
    ledger = withKeys([])
    await fill()
    expect(await reseal(withKeys([newer], true))).toMatchObject({ keys: { none: all + 1 }, resealed: all + 1 })
    expect(await reseal(withKeys([newer]), true)).toMatchObject({ keys: { [keyOf(newer)]: all } })
  })

  it('leaves values without a listed key alone, and reports them', async () => {
    await fill()
    const withoutOld = withKeys([newer])
    expect(await reseal(withoutOld)).toMatchObject({ resealed: 0, unreadable: all + 1 })
    expect((await readAll(ledger, 'pa_req_1')).snapshot).toMatchObject({ text: expect.stringContaining('MRN-1') })
  })

  it('opens no value that was moved to another row', async () => {
    await fill()
    const source = sql`select snapshot from states where resource = (select number from resources where id = 'pa_req_2')`
    await sql`update states set snapshot = (${source} limit 1) where resource = (select number from resources where id = 'pa_req_1')`.execute(
      storage.db,
    )
    expect((await readAll(ledger, 'pa_req_1')).snapshot).toHaveProperty('broken')
  })

  it('seals plain values only while sealing is being turned on, lest it vouch for a forged one', async () => {
    ledger = withKeys([])
    await fill()
    const every = all + 1
    expect(await reseal(withKeys([newer]))).toMatchObject({ keys: { none: every }, resealed: 0, unreadable: every })
    expect(await reseal(withKeys([]), true)).toMatchObject({ keys: { none: all } })
  })

  it('rejects a plain value in the place of a sealed one', async () => {
    await fill()
    const forged = Buffer.from(JSON.stringify({ id: 'pa_req_1', status: 'completed', outcome: 'approved' }))
    await sql`update states set snapshot = ${forged} where resource = (select number from resources where id = 'pa_req_1')`.execute(
      storage.db,
    )
    await sql`update effects set value = ${forged} where resource = (select number from resources where id = 'pa_req_1')`.execute(
      storage.db,
    )
    await sql`update outcomes set groups = ${Buffer.from('{"drug":"00000000022"}')} where resource = (select number from resources where id = 'pa_req_1')`.execute(
      storage.db,
    )
    const broken = { broken: expect.stringContaining('effects.value of pa_req_1 (chart) is not sealed') }
    await hear('pa_req_1')
    const claim = await ledger.claim('pa_req_1', 60_000, { prior_authorization: ['chart', 'desk'] })
    expect(claim?.snapshot?.document).toMatchObject({
      broken: expect.stringMatching(/^states\.snapshot of pa_req_1 is not sealed, though SEALING_KEYS is set/),
    })
    expect(claim?.progress.get('chart')?.baseline).toMatchObject({
      broken: expect.stringContaining('of pa_req_1 is not'),
    })
    expect(claim?.progress.get('desk')?.tried).toMatchObject([
      { broken: expect.stringContaining('of pa_req_1 is not') },
    ])
    await expect(ledger.reveal('pa_req_1', { ...act, reason: 'a test' })).rejects.toThrow('of pa_req_1 is not sealed')
    expect(await ledger.effect('pa_req_1', 'chart', 'announced')).toMatchObject({ document: broken })
    await sql`update events set body = ${forged} where resource_id = 'pa_req_1'`.execute(storage.db)
    await expect(ledger.bodies('pa_req_1')).rejects.toThrow('events.body of pa_req_1')
    const period = { moment: 'heardAt', from: 0, to: Date.now() * 2, by: 'drug' } as const
    const { rows } = await ledger.listOutcomes(period, undefined)
    expect(rows.map(({ group }) => group)).not.toContain('00000000022')
  })

  it('opens no report row that was moved to another', async () => {
    await fill()
    const source = sql`select groups from outcomes where resource = (select number from resources where id = ${`pa_req_${count - 1}`})`
    await sql`update outcomes set groups = (${source}) where resource = (select number from resources where id = 'pa_req_0')`.execute(
      storage.db,
    )
    expect(await reseal(withKeys([newer, older]))).toMatchObject({ unreadable: 1 })
  })

  it('is recorded in the audit trail once, and not as a dry run', async () => {
    await fill()
    const rotated = withKeys([newer, older])
    await reseal(rotated, true)
    await reseal(rotated)
    const entries = await rotated.readAudit({}, 10)
    expect(entries.filter(({ action }) => action === 'keys.rotate')).toHaveLength(1)
  })
}

describeOnEachStorage('changing the sealing key of a ledger', describeResealing)
