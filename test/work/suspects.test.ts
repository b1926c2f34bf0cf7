import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import { createDigest } from '../../packages/connector/src/digest.ts'
import type { Ledger } from '../../packages/ledger/src/ledger.ts'
import { openLedger } from '../../packages/ledger/src/open-ledger.ts'
import { createInProcessQueue } from '../../src/queue/in-process-queue.ts'
import { parseDelivery } from '../../src/receive/parse-delivery.ts'
import { watchPauses } from '../../src/systems/watched-pauses.ts'
import { noGuard } from '../../src/systems/guard.ts'
import { createSystems } from '../../src/systems/systems.ts'
import { namesByKind } from '../../src/work/backlog.ts'
import { createCatchUp } from '../../src/work/catch-up.ts'
import { createLeases } from '../../src/work/lease.ts'
import { startWorker, type Worker } from '../../src/work/worker.ts'
import { captureLog } from '../support/log-capture.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { until } from '../support/until.ts'
import { envelope } from '../support/webhook.ts'

const leaseMs = 1_000
const hangs = () => new Promise<never>(() => {})

let folder: string
let ledger: Ledger
/** Ends the worker as a crash of its process would: with what it has in work. */
let crash: () => Promise<void>
let worker: Worker | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-suspects-'))
  ledger = await openLedger(
    { databaseUrl: `file:${join(folder, 'pawl.db')}`, sealingKeys: [] },
    { clock: undefined, onError: () => {} },
  )
  crash = async () => worker?.close(0, { crashed: true })
})
afterEach(async () => {
  await worker?.close(0)
  await ledger.close()
  await rm(folder, { recursive: true })
})

/** A system that tells whether its memory is in doubt. */
interface WithDesk {
  desk: { isInDoubt(): Promise<boolean> }
}

/** Starts a process that works on the ledger; in this test one after the other. */
function start(act: (id: string, isInDoubt: boolean) => Promise<void>): void {
  const queue = createInProcessQueue()
  const handler = defineHandler({
    name: 'h',
    on: ['prior_authorization.status_change'],
    // The compiler cannot see this test's own system.
    handle: async (context) => act(context.resource.id, await (context as unknown as WithDesk).desk.isInDoubt()),
  })
  const { api } = createScriptedApi()
  const systems = createSystems({
    systems: { desk: { open: ({ inDoubt }) => ({ isInDoubt: async () => inDoubt === true }) } },
    api,
    breakers: noGuard,
    digest: createDigest(Buffer.alloc(32)),
  })
  const pauses = watchPauses(ledger)
  pauses.close()
  const { log } = captureLog()
  const catchUp = createCatchUp({
    ledger,
    pauses,
    handlers: [handler],
    systems,
    settings: {},
    noteDrift() {},
    wakePollerIn() {},
    watch: { begin: () => () => {} },
    retry: { maxAttempts: 1_000, baseMs: 1, maxMs: 1 },
    clock: { now: () => Date.now() },
    random: () => 0,
    log,
    count() {},
  })
  worker = startWorker({
    ledger,
    catchUp,
    leases: createLeases({ ledger, leaseMs, handlerNames: namesByKind([handler]) }),
    pauses,
    queues: { queue, local: queue },
    concurrency: 16,
    restMs: 1,
    sweepIntervalMs: 50,
    log,
  })
}

/** No two alike: a copy would change nothing. */
let accepted = 0
const accept = (id: string) =>
  ledger.accept(parseDelivery(Buffer.from(JSON.stringify(envelope({ id, n: (accepted += 1) })))))
/** Accepts an event of the resource, and starts a process that hangs in its work. */
async function hangIn(id: string): Promise<void> {
  await accept(id)
  let inWork = false
  start(async () => {
    inWork = true
    await hangs()
  })
  await until('in work', () => inWork)
}
const allSynced = () => until('all is synced', async () => (await ledger.counts()).due === 0)

describe('work in progress when its process crashed', () => {
  it('is parked if it crashes every process that runs it alone, and nothing else is', async () => {
    const good = Array.from({ length: 8 }, (_, n) => `pa_req_${n}`)
    for (const id of [...good, 'pa_req_crashes']) await accept(id)
    let crashes = 0
    while ((await ledger.counts()).parked === 0) {
      let inWork = 0
      let isAlone = true
      let isOver = false
      start(async (id) => {
        inWork += 1
        if (inWork > 1) isAlone = false
        // In the first process all of them are in work when it crashes.
        if (crashes === 0) await until('all in work', () => inWork > good.length)
        if (crashes === 0 || id === 'pa_req_crashes') {
          isOver = true
          await hangs()
        }
        inWork -= 1
      })
      await until('it crashes, or need not', async () => isOver || (await ledger.counts()).parked > 0)
      if (isOver && crashes > 0) expect(isAlone).toBe(true)
      if (isOver) crashes += 1
      await crash()
    }
    // Once beside the others, which proves nothing, and five times alone.
    expect(crashes).toBe(6)
    expect((await ledger.work({ state: 'parked' }, 10)).rows).toMatchObject([
      { resourceId: 'pa_req_crashes', errorCode: 'never_given_back' },
    ])
    start(() => Promise.resolve())
    await allSynced()
    for (const id of good) expect((await ledger.resource(id))?.progress).toMatchObject([{ state: 'synced' }])
    expect((await ledger.counts()).parked).toBe(1)
  })

  it('never stays suspect because of crashes caused by others', async () => {
    const innocent = ['pa_req_1', 'pa_req_2', 'pa_req_3']
    for (const id of innocent) await accept(id)
    for (let n = 0; n < 8; n += 1) {
      let inWork = 0
      start(async () => {
        inWork += 1
        await hangs()
      })
      // All of them while none is under suspicion, then one at a time.
      await until('in work', () => inWork > 0)
      await crash()
      start(() => Promise.resolve())
      await allSynced()
      await worker?.close(1_000)
      for (const id of innocent) await accept(id)
    }
    expect((await ledger.counts()).parked).toBe(0)
  })

  it('is repeated after its success, since writes of the former process may arrive late', async () => {
    await hangIn('pa_req_1')
    await crash()
    let runs = 0
    start(async () => {
      runs += 1
    })
    await until('two runs', () => runs === 2)
    await allSynced()
    expect(runs).toBe(2)
  })

  it('is released at once by a clean stop', async () => {
    await hangIn('pa_req_1')
    await worker?.close(0)
    expect(await ledger.due(10)).toEqual(['pa_req_1'])
  })

  it('has memory in doubt for its next two runs, and after a failure until a success', async () => {
    await hangIn('pa_req_1')
    await crash()
    const doubts: boolean[] = []
    let fails = false
    start(async (_id, isInDoubt) => {
      doubts.push(isInDoubt)
      if (fails) {
        fails = false
        throw new Error('not now')
      }
    })
    await until('it has run twice', () => doubts.length === 2)
    await allSynced()
    await accept('pa_req_1')
    await until('it has run again', () => doubts.length === 3)
    await allSynced()
    fails = true
    await accept('pa_req_1')
    await until('it was tried twice', () => doubts.length === 5)
    await allSynced()
    expect(doubts).toEqual([true, true, false, false, true])
  })
})
