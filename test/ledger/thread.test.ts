import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeError } from '../../src/errors.ts'
import { ClaimLost } from '../../src/ledger/claims.ts'
import { LedgerFileUnusable } from '../../src/ledger/sqlite/file.ts'
import { DeliveryRefused } from '../../src/receive/delivery-refused.ts'
import { startStore } from '../../src/ledger/sqlite/start-thread.ts'
import type { Store } from '../../src/ledger/open-ledger.ts'

describe('a store on its own thread', () => {
  let folder: string
  let path: string
  let store: Store | undefined

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-store-'))
    path = join(folder, 'pawl.db')
    store = undefined
  })
  afterEach(async () => {
    await store?.ledger.close()
    await rm(folder, { recursive: true })
  })

  async function start(): Promise<Store> {
    store = await startStore({ databaseUrl: `file:${path}`, sealingKeys: [] })
    return store
  }
  const bodyOf = (id: string) =>
    Buffer.from(JSON.stringify({ event_type: 'prior_authorization.status_change', data: { id } }))
  const hold = { resourceId: 'pa_req_1', owner: 'nobody', newestEventId: 1, parked: [] }
  const run = { handler: 'h', startedAt: 1, finishedAt: 1, firstEventId: 1, lastEventId: 1 }

  it('says why its database cannot be opened', async () => {
    await writeFile(path, 'no database at all'.repeat(100))
    await expect(start()).rejects.toThrow(LedgerFileUnusable)
    await expect(start()).rejects.toThrow('no SQLite database')
  })

  it('takes many deliveries at once, and knows each again', async () => {
    const { take, ledger } = await start()
    const ids = Array.from({ length: 200 }, (_, n) => `pa_req_${n}`)
    const first = await Promise.all(ids.map((id) => take(bodyOf(id))))
    expect(new Set(first.map(({ eventId }) => eventId)).size).toBe(200)
    const again = await Promise.all(ids.map((id) => take(bodyOf(id))))
    expect(again.map(({ eventId, duplicate }) => ({ eventId, duplicate }))).toEqual(
      first.map(({ eventId }) => ({ eventId, duplicate: true })),
    )
    expect(await ledger.counts()).toMatchObject({ events: 200, due: 200 })
  })

  it('hands errors over with their class, their code and the place where they were thrown', async () => {
    const { take, ledger } = await start()
    await expect(take(Buffer.from('{'))).rejects.toThrow(DeliveryRefused)
    await expect(take(Buffer.from('{'))).rejects.toMatchObject({ code: 'not_json', httpStatus: 400 })
    await expect(ledger.record(hold, [])).rejects.toThrow(ClaimLost)
    const foreign: unknown = await ledger.recordEffect('pa_req_unknown', 'h', 'k').catch((error: unknown) => error)
    expect(describeError(foreign)).toMatchObject({
      code: 'SQLITE_CONSTRAINT_FOREIGNKEY',
      message: expect.stringMatching(/^SqliteError at [\w.-]+:\d+$/),
    })
  })

  it('fails the one call that cannot cross, and answers the others of its turn', async () => {
    const { take, ledger } = await start()
    // As a connector's receipt with a method would be.
    const uncloneable = [{ system: 'ehr', type: 'Task', id: '1', undo() {} }]
    const [recorded, taken] = await Promise.allSettled([
      ledger.record(hold, [{ of: 'success', run: { ...run, writes: uncloneable } }]),
      take(bodyOf('pa_req_1')),
    ])
    expect([recorded.status, taken.status]).toEqual(['rejected', 'fulfilled'])
  })

  it('finishes what is under way when it is closed, and then answers nobody', async () => {
    const { take, ledger } = await start()
    const taken = take(bodyOf('pa_req_1'))
    await ledger.close()
    expect(await taken).toMatchObject({ duplicate: false })
    await expect(ledger.counts()).rejects.toThrow('closed')
  })
})
