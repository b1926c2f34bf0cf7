import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Sqlite } from '../../../base/src/sqlite.ts'
import { describeError } from '../../../base/src/errors.ts'
import { ClaimLost } from '../../src/hot/claim.ts'
import { LedgerFileUnusable } from '../../src/sqlite/file.ts'
import type { Ledger } from '../../src/ledger.ts'
import { openThreadedLedger } from '../../src/sqlite/threaded-ledger.ts'
import type { ThreadData } from '../../src/sqlite/thread.ts'
import type { Delivery } from '../../src/hot/accept.ts'
import { aDelivery } from '../a-delivery.ts'

describe('a ledger on its own thread', () => {
  let folder: string
  let path: string
  let ledger: Ledger | undefined

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-thread-'))
    path = join(folder, 'pawl.db')
    ledger = undefined
  })
  afterEach(async () => {
    await ledger?.close()
    await rm(folder, { recursive: true })
  })

  async function start(): Promise<Ledger> {
    ledger = await openThreadedLedger({ databaseUrl: `file:${path}`, sealingKeys: [] })
    return ledger
  }
  const about = (resourceId: string): Delivery => {
    const eventType = 'prior_authorization.status_change'
    const body = Buffer.from(JSON.stringify({ event_type: eventType, data: { id: resourceId } }))
    return aDelivery({ resourceId, eventType, body })
  }
  const token = { resourceId: 'pa_req_1', owner: 'nobody', newestEventId: 1, retries: 0 }
  const run = { handler: 'h', startedAt: 1, finishedAt: 1, firstEventId: 1, lastEventId: 1 }

  it('reports why its database cannot be opened', async () => {
    await writeFile(path, 'no database at all'.repeat(100))
    await expect(start()).rejects.toThrow(LedgerFileUnusable)
    await expect(start()).rejects.toThrow('not a SQLite database')
  })

  it.each(['ledger', 'views'] as const)('loads no schema library on the thread of its %s', async (serves) => {
    await (await start()).close()
    ledger = undefined
    const loaded = await loadedBy({ settings: { databaseUrl: `file:${path}`, sealingKeys: [] }, serves })
    expect(loaded.some((url) => url.endsWith('/views/create-views.ts'))).toBe(true)
    expect(loaded.filter((url) => url.includes('/node_modules/zod/'))).toEqual([])
  })

  it('passes errors on with class, code and stack', async () => {
    const ledger = await start()
    await expect(ledger.record(token, [])).rejects.toThrow(ClaimLost)
    const foreign: unknown = await ledger.recordEffect('pa_req_unknown', 'h', 'k').catch((error: unknown) => error)
    expect(describeError(foreign)).toMatchObject({
      code: 'SQLITE_CONSTRAINT_NOTNULL',
      message: expect.stringMatching(/^SqliteError at [\w.-]+:\d+$/),
    })
  })

  it('fails only the call that cannot be cloned', async () => {
    const ledger = await start()
    // As a connector's receipt with a method would be.
    const uncloneable = [{ system: 'ehr', type: 'Task', id: '1', undo() {} }]
    const [recorded, accepted] = await Promise.allSettled([
      ledger.record(token, [{ of: 'success', run: { ...run, writes: uncloneable } }]),
      ledger.accept(about('pa_req_1')),
    ])
    expect([recorded.status, accepted.status]).toEqual(['rejected', 'fulfilled'])
  })

  it('stores deliveries during a view of several seconds, and shows views what was stored before', async () => {
    const ledger = await start()
    const file = new Sqlite(path)
    // As slow as the page of a large ledger, however fast the machine.
    file.exec(`drop table rejections; create view rejections as
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 4000000)
      select max(n) as id, 'slow' as reason, 0 as bytes, 0 as rejected_at from numbers`)
    file.close()
    const order: string[] = []
    const viewed = ledger.listRejections({}, 1).then((rows) => order.push(`${rows.length} viewed`))
    for (const id of ['pa_req_1', 'pa_req_2', 'pa_req_3']) {
      await ledger.accept(about(id))
      order.push(id)
    }
    await viewed
    expect(order).toEqual(['pa_req_1', 'pa_req_2', 'pa_req_3', '1 viewed'])
    expect((await ledger.listEvents({}, 10)).rows.map(({ resourceId }) => resourceId)).toContain('pa_req_3')
    expect(await ledger.counts()).toMatchObject({ events: 3, due: 3 })
  })

  it.runIf(process.platform === 'linux')('reads views at lower priority than it stores deliveries', async () => {
    // Nothing tells the threads of a process apart that yields as a whole.
    if (getPriority() >= 10) return
    const countYielding = async () => {
      const ids = await readdir('/proc/self/task')
      const niceness = await Promise.all(ids.map((id) => readNiceness(`/proc/self/task/${id}/stat`)))
      return niceness.filter((value) => value === 10).length
    }
    const before = await countYielding()
    await start()
    expect(await countYielding()).toBe(before + 1)
    await ledger?.close()
    ledger = undefined
    await expect.poll(countYielding).toBe(before)
  })

  it('finishes calls in progress when it closes, and rejects later ones', async () => {
    const ledger = await start()
    const accepted = ledger.accept(about('pa_req_1'))
    await ledger.close()
    expect(await accepted).toMatchObject({ duplicate: false })
    await expect(ledger.counts()).rejects.toThrow('closed')
  })
})

/** The files that the thread has loaded once it serves calls. */
async function loadedBy(workerData: ThreadData): Promise<string[]> {
  const thread = new URL('../../src/sqlite/thread.ts', import.meta.url)
  const script = `
    const { Session } = require('node:inspector')
    const { parentPort } = require('node:worker_threads')
    const urls = []
    const session = new Session()
    session.connect()
    session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url))
    session.post('Debugger.enable')
    import('tsx/esm/api').then(({ register }) => register()).then(() => import(${JSON.stringify(thread.href)})).then(() => {
      parentPort.emit('message', 'open')
      parentPort.once('message', () => parentPort.postMessage(urls))
    })`
  const worker = new Worker(script, { eval: true, workerData, execArgv: ['--conditions=source'] })
  try {
    const [opened] = await once(worker, 'message')
    expect(opened).toHaveProperty('names')
    worker.postMessage('loaded')
    return (await once(worker, 'message'))[0] as string[] // the script's
  } finally {
    await worker.terminate()
  }
}

/** Field 19 of proc_pid_stat(5); NaN of a thread that has ended. */
async function readNiceness(path: string): Promise<number> {
  const stat = await readFile(path, 'utf8').catch(() => '')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
}
