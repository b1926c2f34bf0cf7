import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../base/src/clock.ts'
import { copyLedger, CopyStopped } from '../../src/upkeep/copy/copy-ledger.ts'
import { CopyRefused } from '../../src/upkeep/copy/copy-side.ts'
import { LedgerUnfinished } from '../../src/ledger-unfinished.ts'
import { act } from '../../../../test/support/act.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../../../../test/support/postgres.ts'
import { dumpLedger, execute, fillLedger, openLedger, sealingKey } from '../filled-ledger.ts'
import { aDelivery } from '../a-delivery.ts'

let folder: string
let postgres: TestPostgres | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-copy-'))
})
afterEach(() => rm(folder, { recursive: true }))

let files = 0
const newFile = () => Promise.resolve(`file:${join(folder, `${(files += 1)}.db`)}`)
const newDatabase = () => postgres?.createDatabase() ?? Promise.reject(new Error('no PostgreSQL'))

/** Copies, and stops once at least so many more rows are there. */
function copy(from: string, to: string, { rows = Infinity, keys = [] as Uint8Array[] } = {}) {
  const stopping = new AbortController()
  const shown: number[] = []
  const onProgress = ({ copied }: { copied: number }) => {
    shown.push(copied)
    if (copied - (shown[0] ?? 0) >= rows) stopping.abort()
  }
  const told = { sealingKeys: keys, actor: act.actor, clock: systemClock, signal: stopping.signal, onProgress }
  const done = copyLedger({ from, to, ...told })
  return { done, shown }
}

function describeCopy(name: string, newSource: () => Promise<string>, newTarget: () => Promise<string>) {
  describe(`a copy ${name}`, () => {
    let from: string
    let to: string
    beforeEach(async () => {
      from = await newSource()
      to = await newTarget()
      await fillLedger(from)
    })

    it('has every row unchanged, sealed as before, and numbers on after the last one given out', async () => {
      const before = await dumpLedger(from)
      const counts = await copy(from, to).done
      expect(await dumpLedger(to)).toEqual(before)
      expect(await dumpLedger(from)).toEqual(before)
      expect(counts.get('events')).toBe(before.events?.length)
      expect(Object.values(before).every((rows) => rows.length > 0)).toBe(true)

      const [old, ledger] = [await openLedger(from), await openLedger(to)]
      expect(await ledger.bodies('pa_req_7')).toEqual(await old.bodies('pa_req_7'))
      const next = {
        resourceId: 'new',
        kind: undefined,
        eventType: 'x',
        eventKey: undefined,
        source: 'webhook',
      } as const
      const accepted = await Promise.all([old, ledger].map((each) => each.accept({ ...next, body: Buffer.from('{}') })))
      // Each event begins a trace of its own.
      const [one, other] = accepted.map(({ eventId, duplicate }) => ({ eventId, duplicate }))
      expect(other).toEqual(one)
      await Promise.all([old.close(), ledger.close()])
    })

    it('includes the audit trail, and records itself at its end', async () => {
      from = await newSource()
      await fillLedger(from, { hasTrail: true })
      const old = await openLedger(from)
      await old.audit({ ...act, action: 'resource.view', resourceId: 'pa_req_7' })
      await old.close()
      await expect(copy(from, to).done).rejects.toThrow('set the SEALING_KEYS of pawl itself')
      await copy(from, to, { keys: [sealingKey] }).done
      const ledger = await openLedger(to)
      const entries = await ledger.readAudit({}, 10)
      expect(entries).toMatchObject([
        { action: 'process.start' },
        { action: 'resource.view' },
        { actor: act.actor, action: 'ledger.copy' },
      ])
      expect(await ledger.verifyAudit()).toMatchObject({ rows: 3, signed: 3, faults: [] })
      await ledger.close()
    })

    it('that is stopped repeatedly continues, with the same result', async () => {
      const before = await dumpLedger(from)
      let reached = 0
      for (let round = 0; ; round += 1) {
        const { done, shown } = copy(from, to, { rows: 100 })
        const isOver = await done.then(
          () => true,
          (error: unknown) => {
            expect(error).toBeInstanceOf(CopyStopped)
            return false
          },
        )
        expect(shown[0]).toBe(reached)
        reached = shown.at(-1) ?? 0
        if (isOver) break
        expect(round).toBeLessThan(10)
        await expect(openLedger(to)).rejects.toThrow(LedgerUnfinished)
      }
      expect(await dumpLedger(to)).toEqual(before)
      await (await openLedger(to)).close()
    })

    it('does not continue after work on the source', async () => {
      await expect(copy(from, to, { rows: 100 }).done).rejects.toThrow(CopyStopped)
      await execute(from, 'update events set repeats = repeats + 1 where id = 1')
      await expect(copy(from, to).done).rejects.toThrow(/before pawl worked on it again/)
    })

    it('is refused into a target with a ledger, which stays unchanged', async () => {
      await fillLedger(to)
      const before = await dumpLedger(to)
      await expect(copy(from, to).done).rejects.toThrow(CopyRefused)
      await expect(copy(from, to).done).rejects.toThrow(/already holds a ledger/)
      expect(await dumpLedger(to)).toEqual(before)
    })

    it('is refused while pawl has either side open', async () => {
      for (const url of [from, to]) {
        const running = await openLedger(url)
        await running.counts()
        await expect(copy(from, to).done).rejects.toThrow(/is in use: stop every pawl/)
        await running.close()
      }
      await copy(from, to).done
    })

    it('is refused into itself', async () => {
      await expect(copy(from, from).done).rejects.toThrow(/are the same database/)
    })

    it('is refused from an empty ledger', async () => {
      await expect(copy(await newSource(), await newTarget()).done).rejects.toThrow(CopyRefused)
    })
  })
}

describe('a copy of a file', () => {
  it('is refused into the same file by another name', async () => {
    const from = await newFile()
    await fillLedger(from)
    const other = join(folder, 'link.db')
    await symlink(from.slice('file:'.length), other)
    await expect(copy(from, `file:${other}`).done).rejects.toThrow(/are the same database/)
  })

  it('of a missing file is refused, and creates none', async () => {
    const from = await newFile()
    await expect(copy(from, await newFile()).done).rejects.toThrow(/does not exist/)
    await expect(copy(from, await newFile()).done).rejects.toThrow(/does not exist/)
  })

  it('to an unreachable server fails, without the password in its message', async () => {
    const from = await newFile()
    await fillLedger(from)
    const { message } = (await copy(from, 'postgres://pawl:canary@127.0.0.1:9/pawl').done.then(
      () => new Error('copied'),
      (error: unknown) => error,
    )) as Error // every rejection of it is an error
    expect(message).toMatch(/^postgres:\/\/pawl@127\.0\.0\.1:9\/pawl cannot be opened: .*ECONNREFUSED/)
  })
})

describeWithPostgres('a copy with a PostgreSQL side', () => {
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.close())

  describeCopy('from SQLite to PostgreSQL', newFile, newDatabase)

  it('into PostgreSQL has room for events with high numbers, and recognises copies of them', async () => {
    const [from, to] = [await newFile(), await newDatabase()]
    await fillLedger(from)
    await execute(from, 'update events set id = 12000000 where id = (select max(id) from events where kind is null)')
    const delivery = aDelivery({ kind: undefined, eventType: 'x', body: '{"n":"high"}' })
    const old = await openLedger(from)
    const { eventId } = await old.accept(delivery)
    await old.close()
    expect(eventId).toBe(12_000_001)
    await copy(from, to).done
    const ledger = await openLedger(to)
    expect(await ledger.accept(delivery)).toMatchObject({ eventId, duplicate: true })
    // The id of the copy stays unused.
    expect(await ledger.accept({ ...delivery, body: Buffer.from('{}') })).toMatchObject({ eventId: eventId + 2 })
    await ledger.close()
    const [row] = await execute(
      to,
      "select count(*)::int as count from pg_inherits where inhparent = 'events'::regclass",
    )
    expect(row?.['count']).toBeLessThan(40)
  })

  describeCopy('from PostgreSQL to SQLite', newDatabase, newFile)
})
