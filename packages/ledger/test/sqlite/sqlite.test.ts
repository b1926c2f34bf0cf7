import { copyFile, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../base/src/clock.ts'
import { createLedger } from '../../src/create-ledger.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import type { Ledger } from '../../src/ledger.ts'
import { LedgerFileGone } from '../../src/sqlite/file-identity.ts'
import { openThreadedLedger } from '../../src/sqlite/threaded-ledger.ts'
import { parseDelivery } from '../../../../src/receive/parse-delivery.ts'
import { envelope } from '../../../../test/support/webhook.ts'
import { MessageChannel } from 'node:worker_threads'
import { createCaller } from '../../../base/src/threads/calls.ts'
import { reachLedger, serveLedger } from '../../src/sqlite/remote-ledger.ts'
import { errorCodec } from '../../src/sqlite/error-codec.ts'
import { argumentsFor } from '../../../../test/support/run-script.ts'
import { execute } from '../filled-ledger.ts'
import { describeLedger } from '../ledger-contract.ts'
import { aDelivery } from '../a-delivery.ts'

const run = promisify(execFile)

describeLedger('SQLite behind a port to another thread', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-ledger-'))
  return {
    async open({ clock, seal }) {
      const { port1, port2 } = new MessageChannel()
      const ledger = createLedger({ storage: await openSqlite(join(folder, 'pawl.db'), clock), seal })
      const thread = { names: serveLedger(port1, ledger), caller: createCaller(port2, errorCodec) }
      const remote = reachLedger(thread, thread)
      const close = async () => {
        await remote.close()
        port2.close()
      }
      return { ...remote, close }
    },
    destroy: () => rm(folder, { recursive: true }),
  }
})

it('lets several processes open one new file at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-ledger-'))
  const how = argumentsFor('packages/ledger/src/sqlite/open-sqlite.ts')
  const script = `
    const { openSqlite } = await import(process.argv[1])
    await (await openSqlite(process.argv[2], Date)).db.destroy()`
  const module = pathToFileURL(how.at(-1) ?? '').href
  const args = [...how.slice(0, -1), '--input-type=module', '--eval', script, module, join(folder, 'pawl.db')]
  await Promise.all([1, 2, 3, 4].map(() => run(process.execPath, args)))
  await rm(folder, { recursive: true })
})

it('leaves no readable body, snapshot or baseline in its files when sealed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-ledger-'))
  const path = join(folder, 'pawl.db')
  const ledger = createLedger({
    storage: await openSqlite(path, systemClock),
    seal: createSeal([randomBytes(32)]),
  })
  await ledger.accept(aDelivery({ body: '{"name":"Testa Canary"}' }))
  const claim = await ledger.claim('pa_req_1', 1_000, {})
  if (claim === undefined) throw new Error('not claimed')
  const text = JSON.stringify({ name: 'Testa Canary' })
  const run = { handler: 'h', startedAt: 1, finishedAt: 1, firstEventId: 1, lastEventId: 1, writes: [] }
  await ledger.record(claim, [
    { of: 'snapshot', text, eventId: 1, terminal: false, pollInMs: undefined },
    { of: 'success', run },
  ])
  const wal = await readFile(`${path}-wal`, 'latin1')
  expect(wal).toContain('pa_req_1')
  expect(wal).not.toContain('Canary')
  await ledger.close()
  await rm(folder, { recursive: true })
})

describe('a ledger that loses its file', () => {
  let folder: string
  let path: string
  let ledger: Ledger
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-ledger-'))
    path = join(folder, 'pawl.db')
    ledger = await openThreadedLedger({ databaseUrl: `file:${path}`, sealingKeys: [] })
  })
  afterEach(async () => {
    await ledger.close()
    await rm(folder, { recursive: true })
  })

  const accept = (n: number) =>
    ledger.accept(parseDelivery(Buffer.from(JSON.stringify(envelope({ id: 'pa_req_1', n })))))

  const ways: Record<string, () => Promise<void>> = {
    'is deleted': () => rm(path),
    'is deleted with its log': async () => {
      for (const suffix of ['', '-wal', '-shm']) await rm(`${path}${suffix}`)
    },
    'has lost its log': () => rm(`${path}-wal`),
    'is replaced by another': async () => {
      await copyFile(path, `${path}-backup`)
      await rename(`${path}-backup`, path)
    },
  }
  it.each(Object.entries(ways))('stores nothing more once it %s, and reports why', async (_, takeAway) => {
    await accept(1)
    await takeAway()
    await expect(accept(2)).rejects.toThrow(LedgerFileGone)
    await expect(ledger.counts()).rejects.toThrow(LedgerFileGone)
    await expect(ledger.claim('pa_req_1', 1_000, {})).rejects.toThrow(LedgerFileGone)
  })

  it('works again once it is put back', async () => {
    await rename(path, `${path}-aside`)
    await expect(accept(1)).rejects.toThrow(LedgerFileGone)
    await rename(`${path}-aside`, path)
    expect(await accept(2)).toMatchObject({ duplicate: false })
  })
})

it('counts a large ledger in steps, and serves the earlier total meanwhile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-ledger-'))
  const path = join(folder, 'pawl.db')
  const ledger = createLedger({ storage: await openSqlite(path, systemClock), seal: createSeal([]) })
  const fill = (count: number) =>
    execute(
      `file:${path}`,
      `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
      insert into resources (number, id, kind, first_event_at, newest_event_id, heads)
      select before + n, 'pa_req_' || (before + n), 'prior_authorization', 0, n, '{}'
      from numbers, (select coalesce(max(number), 0) as before from resources)`,
    )
  await fill(9_999)
  expect(await ledger.counts()).toMatchObject({ resources: 9_999 })
  await fill(25_002)
  const asked = await Promise.all([ledger.counts(), ledger.counts(), ledger.counts()])
  expect(asked.map(({ resources }) => resources)).toEqual([35_001, 35_001, 35_001])
  await fill(1)
  expect(await ledger.counts()).toMatchObject({ resources: 35_001 })
  await ledger.close()
  await rm(folder, { recursive: true })
})
