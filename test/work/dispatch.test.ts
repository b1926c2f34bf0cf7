import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler, type HandlerContext, PawlError, type Retry } from '#pawl'
import { ApiNotFound, RateLimited } from '../../packages/client/src/api/api-errors.ts'
import { FileExpired } from '../../packages/client/src/api/files.ts'
import type { AnyHandler } from '../../src/work/handler.ts'
import { createScriptedApi, type ScriptedApi } from '../support/scripted-api.ts'
import { openLedgerRows } from '../support/ledger-rows.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { ownEvent } from '../../src/work/own-event.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { aDelivery } from '../../packages/ledger/test/a-delivery.ts'

type PaContext = HandlerContext<'prior_authorization.status_change' | 'prior_authorization.message'>

class Refused extends PawlError {
  readonly code = 'refused'
  override readonly retry: Retry
  constructor(retry: Retry) {
    super('The test refuses.')
    this.retry = retry
  }
}

let gateway: LocalGateway
let service: ScriptedApi
let seen: { handler: string; context: PaContext }[]
let sent: number

beforeEach(() => {
  service = createScriptedApi()
  seen = []
  sent = 0
})
afterEach(() => gateway.destroy())

/** A handler that notes what it sees, then does what the test says. */
function watcher(
  name: string,
  act: (context: PaContext) => Promise<void> | void = () => {},
  more: Partial<AnyHandler> = {},
) {
  return {
    ...defineHandler({
      name,
      on: ['prior_authorization.status_change', 'prior_authorization.message'],
      async handle(context) {
        seen.push({ handler: name, context })
        await act(context)
      },
    }),
    ...more,
  } satisfies AnyHandler
}

async function start(handlers: AnyHandler[], env: Record<string, string> = {}) {
  gateway = await startLocalGateway({ api: service.api, handlers }, env)
}

/** Delivers a hint; every one is unique. */
async function enqueue(id = 'pa_req_1', eventType?: string) {
  const response = await deliver(gateway.url, envelope({ id, status: 'hint', sent: ++sent }, eventType))
  expect(response.status).toBe(202)
}

const progressOf = async (handler: string, id = 'pa_req_1') =>
  (await gateway.ledger.resource(id))?.progress.find((progress) => progress.handler === handler)
const synced = (handler: string, id?: string) =>
  until(`${handler} synced`, async () => {
    const resource = await gateway.ledger.resource(id ?? 'pa_req_1')
    return resource?.dueAt === undefined && (await progressOf(handler, id))?.state === 'synced'
  })

const retryAll = () =>
  fetch(`${gateway.adminUrl}/api/retry`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"all":true}',
  })

const isCompleted = ({ context }: (typeof seen)[number]) => context.resource.status === 'completed'

describe('the dispatch', () => {
  it('gives handlers the data of the API, never of the webhook', async () => {
    service.set({ id: 'pa_req_1', status: 'awaiting_outcome' })
    await start([watcher('a')])
    await enqueue()
    await synced('a')
    expect(seen[0]?.context.resource.status).toBe('awaiting_outcome')
  })

  it('reads once for all handlers of a resource', async () => {
    await start([watcher('a'), watcher('b'), watcher('c')])
    await enqueue()
    await Promise.all([synced('a'), synced('b'), synced('c')])
    expect(service.reads).toEqual(['pa_req_1'])
  })

  it('reads again after a handler found a file address expired, even if it was parked since', async () => {
    const addresses: unknown[] = []
    const withFile = (signature: string) => ({
      id: 'pa_req_1',
      status: 'processing',
      activity_log: [{ id: 'act_1', type: 'received_fax', details: { url: `https://files.example/1?${signature}` } }],
    })
    service.set(withFile('first'))
    service.before = () => {
      if (service.reads.length > 1) service.set(withFile(`read ${service.reads.length}`))
    }
    const letters = watcher('letters', ({ resource }) => {
      addresses.push(resource.activity_log?.[0]?.details?.url)
      if (addresses.length < 3) throw new FileExpired(403)
    })
    await start([watcher('steady'), letters], { RETRY_ATTEMPTS: '2' })
    await enqueue()
    await until('parked', async () => (await progressOf('letters'))?.state === 'parked')
    await retryAll()
    await synced('letters')
    expect(addresses).toEqual(['first', 'read 2', 'read 3'].map((each) => `https://files.example/1?${each}`))
    // Only signatures changed: no other handler has work.
    expect(seen.filter(({ handler }) => handler === 'steady')).toHaveLength(1)
  })

  it('tells every handler of a change found by a repeated read', async () => {
    service.set({ id: 'pa_req_1', status: 'processing' })
    let isExpired = true
    const letters = watcher('letters', () => {
      if (!isExpired) return
      isExpired = false
      service.set({ id: 'pa_req_1', status: 'completed' })
      throw new FileExpired(403)
    })
    await start([watcher('steady'), letters])
    await enqueue()
    await until('the change', () => seen.some((one) => one.handler === 'steady' && isCompleted(one)))
    await synced('letters')
    await synced('steady')
    expect(seen.filter(({ handler }) => handler === 'letters').at(-1)?.context.resource.status).toBe('completed')
  })

  it('tells handlers of a status whose event was lost, once a message triggers a read', async () => {
    const onStatus = defineHandler({
      name: 'on-status',
      on: ['prior_authorization.status_change'],
      async handle({ resource: { status } }) {
        statuses.push(status)
      },
    })
    const statuses: string[] = []
    await start([watcher('a'), onStatus])
    service.set({ id: 'pa_req_1', status: 'awaiting_review' })
    await enqueue()
    await until('the first is known', () => statuses.length > 0)
    service.set({ id: 'pa_req_1', status: 'awaiting_outcome' })
    await enqueue('pa_req_1', 'prior_authorization.message')
    await until('the second is known', () => statuses.at(-1) === 'awaiting_outcome')
  })

  it('gives each handler the difference to its own last success', async () => {
    let failures = 2
    await start([
      watcher('steady'),
      watcher('flaky', () => {
        if (failures-- > 0) throw new Error('not yet')
      }),
    ])
    service.set({ id: 'pa_req_1', status: 'processing' })
    await enqueue()
    await synced('steady')
    await synced('flaky')
    const messages = [{ id: 'm1', content: 'one' }]
    service.set({ id: 'pa_req_1', status: 'completed', outcome: { result: 'Approved' }, message_thread: { messages } })
    await enqueue()
    await until('both again', () => seen.filter(({ context }) => context.resource.status === 'completed').length >= 2)
    const [, last] = seen.filter(({ handler }) => handler === 'steady')
    expect(last?.context.changes.status).toEqual({ from: 'processing', to: 'completed' })
    expect(last?.context.changes.newMessages).toMatchObject([{ id: 'm1' }])
    expect(last?.context.changes.isFirst).toBe(false)
    const flaky = seen.filter(({ handler }) => handler === 'flaky')
    expect(flaky.slice(0, 3).map(({ context }) => context.changes.isFirst)).toEqual([true, true, true])
  })

  it('counts data of a failed run as changed, even after the service reverted it', async () => {
    await start([
      watcher('chart', ({ resource }) => {
        if (resource.status === 'awaiting_review') throw new Refused({ afterMs: 50 })
      }),
    ])
    service.set({ id: 'pa_req_1', status: 'processing' })
    await enqueue()
    await synced('chart')
    service.set({ id: 'pa_req_1', status: 'awaiting_review' })
    await enqueue()
    await until('a run failed', () => seen.length >= 2)
    service.set({ id: 'pa_req_1', status: 'processing' })
    await enqueue()
    await synced('chart')
    expect(seen.at(-1)?.context.previous?.status).toBe('processing')
    expect(seen.at(-1)?.context.changes.status).toEqual({ from: 'awaiting_review', to: 'processing' })
    await enqueue()
    await synced('chart')
    expect(seen.at(-1)?.context.changes.status).toBeUndefined()
  })

  it('catches up with a thousand hints on ten resources in a few reads', async () => {
    service.before = () => sleep(20)
    const restMs = 5_000
    await start([watcher('a')], { REST_MS: String(restMs) })
    const ids = Array.from({ length: 10 }, (_, index) => `pa_req_${index}`)
    const startedAt = performance.now()
    for (let sent = 0; sent < 1_000; sent += 50)
      await Promise.all(Array.from({ length: 50 }, (_, index) => enqueue(ids[index % 10])))
    await Promise.all(ids.map((id) => synced('a', id)))
    expect((await gateway.ledger.counts()).events).toBe(1_000)
    // A resource is read at once, again for what came in the meantime, and then once a rest.
    const rests = Math.floor((performance.now() - startedAt) / restMs)
    expect(service.reads.length).toBeLessThanOrEqual(ids.length * (2 + rests))
    expect(seen).toHaveLength(service.reads.length)
  })

  it('runs again for events that arrived during the run', async () => {
    let letGo = () => {}
    const held = new Promise<void>((resolve) => (letGo = resolve))
    await start([watcher('a', () => (seen.length === 1 ? held : undefined))])
    await enqueue()
    await until('first run', () => seen.length === 1)
    service.set({ id: 'pa_req_1', status: 'completed' })
    await enqueue()
    letGo()
    await until('second run', () => seen.length === 2)
    expect(seen[1]?.context.resource.status).toBe('completed')
    await synced('a')
  })

  it('retries a handler that throws, while the others of the resource succeed', async () => {
    await start([watcher('good'), watcher('bad', () => Promise.reject(new Error('boom')))], { RETRY_ATTEMPTS: '3' })
    await enqueue()
    await synced('good')
    await until('parked', async () => (await progressOf('bad'))?.state === 'parked')
    expect(seen.filter(({ handler }) => handler === 'bad')).toHaveLength(3)
    expect(seen.filter(({ handler }) => handler === 'good')).toHaveLength(1)
    expect(service.reads).toHaveLength(1)
    expect((await gateway.ledger.work({ state: 'parked' }, 10)).rows).toMatchObject([
      { handler: 'bad', attempts: 3, errorCode: 'unexpected' },
    ])
  })

  it('parks permanent failures at once, and runs them again on retry', async () => {
    let refuses = true
    await start([
      watcher('a', () => {
        if (refuses) throw new Refused('never')
      }),
    ])
    await enqueue()
    await until('parked', async () => (await gateway.ledger.work({ state: 'parked' }, 10)).rows.length === 1)
    expect(seen).toHaveLength(1)
    refuses = false
    await retryAll()
    await synced('a')
    expect(seen).toHaveLength(2)
  })

  it('gives parked work all its attempts again on a new event', async () => {
    await start([
      watcher('a', ({ resource }) => {
        if (resource.status === 'processing') throw new Refused('never')
      }),
    ])
    await enqueue()
    await until('parked', async () => (await gateway.ledger.work({ state: 'parked' }, 10)).rows.length === 1)
    service.set({ id: 'pa_req_1', status: 'completed' })
    await enqueue()
    await synced('a')
    expect((await gateway.ledger.work({ state: 'parked' }, 10)).rows).toEqual([])
    expect(seen.at(-1)?.context.events).toHaveLength(2)
  })

  it('gives each handler its own copy of the resource', async () => {
    service.set({ id: 'pa_req_1', status: 'completed', activity_log: [{ id: 'act_1', type: 'sent_fax' }] })
    const careless = watcher('careless', ({ resource, previous }) => {
      // A handler in JavaScript is not kept from it by the types.
      for (const each of [resource, previous]) (each?.activity_log as unknown[] | undefined)?.splice(0)
    })
    await start([careless, watcher('careful'), { ...careless, name: 'late' }])
    for (const count of [1, 2]) {
      await enqueue()
      await until('in sync', async () => seen.length === 3 * count && (await gateway.ledger.counts()).due === 0)
    }
    const ofCareful = seen.filter(({ handler }) => handler === 'careful').map(({ context }) => context)
    expect(ofCareful).toHaveLength(2)
    for (const { resource } of ofCareful) expect(resource.activity_log).toHaveLength(1)
    expect(ofCareful[1]?.previous?.activity_log).toHaveLength(1)
    expect(ofCareful[1]?.changes.newActivity).toEqual([])
  })

  it('records a finished handler while another one of its resource still runs', async () => {
    let letGo = () => {}
    const held = new Promise<void>((resolve) => (letGo = resolve))
    await start([watcher('quick'), watcher('slow', () => held)])
    await enqueue()
    await until('recorded', async () => (await progressOf('quick'))?.state === 'synced')
    expect(await progressOf('slow')).toBeUndefined()
    letGo()
    await synced('slow')
    expect(seen).toHaveLength(2)
  })

  it('parks nothing for waits that cost no attempt, even with a limit of one', async () => {
    let waits = 3
    service.before = () => {
      if (waits-- > 0) throw new RateLimited({ method: 'GET', route: '/x' }, { afterMs: 10 })
    }
    await start([watcher('a')], { RETRY_ATTEMPTS: '1' })
    await enqueue()
    await synced('a')
    expect(service.reads).toHaveLength(4)
  })

  it('rejects data of another resource as an error', async () => {
    service.set({ id: 'pa_req_2', status: 'completed' })
    const { readSnapshot } = service.api
    service.api.readSnapshot = (kind, _id, options) => readSnapshot(kind, 'pa_req_2', options)
    await start([watcher('a')])
    await enqueue()
    await until('parked', async () => (await gateway.ledger.work({ state: 'parked' }, 10)).rows.length === 1)
    expect((await gateway.ledger.work({ state: 'parked' }, 10)).rows).toMatchObject([
      { errorCode: 'snapshot_of_another' },
    ])
    expect(seen).toEqual([])
  })

  it('waits for an API that lags behind its own webhook', async () => {
    let unknown = 2
    service.before = () => {
      if (unknown-- > 0) throw new ApiNotFound({ method: 'GET', route: '/x', httpStatus: 404 }, 'pa_req_1')
    }
    await start([watcher('a')])
    await enqueue()
    await synced('a')
    expect(service.reads).toHaveLength(3)
  })

  it('parks a resource that the API still does not know after a quarter of an hour', async () => {
    let aheadMs = 0
    service.before = () => {
      throw new ApiNotFound({ method: 'GET', route: '/x', httpStatus: 404 }, 'pa_req_1')
    }
    const parts = { api: service.api, handlers: [watcher('a')], clock: { now: () => Date.now() + aheadMs } }
    gateway = await startLocalGateway(parts, { RETRY_ATTEMPTS: '1000', LEASE_MS: '3600000' })
    await enqueue()
    await until('some attempts', () => service.reads.length > 5)
    expect((await gateway.ledger.work({ state: 'parked' }, 10)).rows).toEqual([])
    aheadMs = 16 * 60_000
    await until('parked', async () => (await gateway.ledger.work({ state: 'parked' }, 10)).rows.length === 1)
    expect((await gateway.ledger.work({ state: 'parked' }, 10)).rows).toMatchObject([{ errorCode: 'api_not_found' }])
  })

  it('waits as long as an error demands', async () => {
    await start([
      watcher('a', () => {
        throw new Refused({ afterMs: 3_600_000 })
      }),
    ])
    await enqueue()
    await until('due later', async () => (await progressOf('a'))?.state === 'due')
    expect((await gateway.ledger.resource('pa_req_1'))?.dueAt).toBeGreaterThan(Date.now() + 3_000_000)
    expect(seen).toHaveLength(1)
  })

  it('parks every handler of a resource that the API does not know', async () => {
    service.before = () => {
      throw new Refused('never')
    }
    await start([watcher('a'), watcher('b')])
    await enqueue()
    await until('both parked', async () => (await gateway.ledger.work({ state: 'parked' }, 10)).rows.length === 2)
    expect(seen).toEqual([])
  })

  it('passes one event at a time, in order, to a handler in mode each', async () => {
    service.before = () => sleep(30)
    await start([watcher('a', undefined, { mode: 'each' }), watcher('b')])
    await Promise.all([1, 2, 3, 4, 5].map(() => enqueue()))
    await synced('a')
    await synced('b')
    const runs = seen.filter(({ handler }) => handler === 'a').map(({ context }) => context.events.map(({ id }) => id))
    expect(runs).toEqual([[1], [2], [3], [4], [5]])
  })

  it('runs only handlers that follow the type of the event', async () => {
    await start([watcher('a'), { ...watcher('messages'), on: ['prior_authorization.message'] }])
    await enqueue()
    await synced('a')
    expect(await progressOf('messages')).toBeUndefined()
    await enqueue('pa_req_1', 'prior_authorization.message')
    await synced('messages')
  })

  it('aborts a handler that does not return, cuts it off from the systems, and retries it', async () => {
    let zombieWrite: Promise<unknown> | undefined
    await start([
      watcher(
        'a',
        async ({ ehr, resource }) => {
          if (seen.length > 1) return
          await sleep(150)
          zombieWrite = ehr.putPriorAuthorization(resource)
          await zombieWrite
        },
        { timeoutMs: 50 },
      ),
    ])
    await enqueue()
    await synced('a')
    expect(seen).toHaveLength(2)
    await until('the late write', () => zombieWrite !== undefined)
    await expect(zombieWrite).rejects.toThrow('did not finish within 50 ms')
  })

  it('cuts an aborted handler off from the service, every system and once', async () => {
    let late: Promise<PromiseSettledResult<unknown>[]> | undefined
    let effects = 0
    const handler = watcher(
      'a',
      async ({ api, ehr, pharmacy, once, resource, signal }) => {
        if (seen.length > 1) return
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        late = Promise.allSettled([
          api.readSnapshot('prior_authorization', resource.id),
          ehr.putPriorAuthorization(resource),
          pharmacy.putPrescriptionTransfer(resource),
          once('late', async () => void (effects += 1)),
        ])
        await new Promise(() => {})
      },
      { timeoutMs: 50 },
    )
    await start([handler])
    await enqueue()
    await synced('a')
    const reads = service.reads.length
    const ends = await until('the late calls', () => late)
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected'])
    expect({ effects, reads }).toEqual({ effects: 0, reads: 1 })
  })

  it('parks a mistyped id that the API does not know, without delay for it or others', async () => {
    service.before = (id, _signal, options) => {
      if (id !== 'pa_req_0')
        throw new ApiNotFound({ method: 'GET', route: '/x', httpStatus: 404, mayNotExist: options?.mayNotExist }, id)
    }
    await start([watcher('a')], { RETRY_ATTEMPTS: '1000' })
    const typos = ['pa_req_1', 'pa_req_2', 'pa_req_3', 'pa_req_4']
    // As a process leaves it that receives alone, and cannot ask the service.
    for (const resourceId of typos)
      await gateway.ledger.accept(
        ownEvent({
          resourceId,
          kind: 'prior_authorization',
          source: 'cli',
          title: 'Asked for by hand',
        }),
      )
    await until('parked', async () => (await gateway.ledger.work({ state: 'parked' }, 10)).rows.length === typos.length)
    const parked = (await gateway.ledger.work({ state: 'parked' }, 10)).rows
    expect(new Set(parked.map(({ errorCode }) => errorCode))).toEqual(new Set(['api_not_found']))
    const ready = (await (await fetch(`${gateway.adminUrl}/readyz`)).json()) as object
    expect(ready).toMatchObject({ breakers: { api: 'closed' }, away: [] })
    await enqueue('pa_req_0')
    await synced('a', 'pa_req_0')
  })

  it('keeps its claim while a handler runs longer than the lease', async () => {
    await start([watcher('a', () => sleep(6_000))], { LEASE_MS: '5000' })
    await enqueue()
    await synced('a')
    expect(seen).toHaveLength(1)
  })

  it('runs a non-idempotent effect once, however often the handler runs', async () => {
    let greetings = 0
    await start([
      watcher('a', async ({ once }) => {
        await once('greet', async () => {
          greetings += 1
        })
        if (seen.length < 3) throw new Error('after the effect')
      }),
    ])
    await enqueue()
    await synced('a')
    expect(seen).toHaveLength(3)
    expect(greetings).toBe(1)
  })

  it('passes a handler the id that it wrote for another resource, even from a failed run, and only its own', async () => {
    const read: [string, string | undefined][] = []
    const others: (string | undefined)[] = []
    const act = async ({ resource, memory }: PaContext) => {
      read.push([resource.id, await memory.read('card of Mrs. Sample')])
      if (resource.id !== 'pa_req_1') return
      await memory.write('card of Mrs. Sample', 'card-1')
      throw new Refused('never')
    }
    await start([
      watcher('a', act),
      watcher('b', async ({ memory }) => void others.push(await memory.read('card of Mrs. Sample'))),
    ])
    await enqueue()
    await until('parked', async () => (await gateway.ledger.work({ state: 'parked' }, 10)).rows.length === 1)
    service.set({ id: 'pa_req_2', status: 'processing' })
    await enqueue('pa_req_2')
    await until('both', () => read.length === 2 && others.length === 2)
    expect(read).toEqual([
      ['pa_req_1', undefined],
      ['pa_req_2', 'card-1'],
    ])
    expect(others).toEqual([undefined, undefined])
    const rows = await openLedgerRows(`file:${gateway.databasePath}`)
    const stored = await rows.ask('select handler, role, value from handler_memory')
    await rows.close()
    expect(stored).toEqual([{ handler: 'a', role: expect.stringMatching(/^[0-9a-f]{32}$/), value: 'card-1' }])
  })

  it('stores only ids for a handler, never text', async () => {
    const refused: unknown[] = []
    await start([
      watcher('a', async ({ memory }) => {
        for (const id of ['Mrs. Sample', '', 'x'.repeat(201)])
          refused.push(await memory.write('key', id).catch((error: unknown) => error))
      }),
    ])
    await enqueue()
    await synced('a')
    expect(refused).toEqual([expect.any(TypeError), expect.any(TypeError), expect.any(TypeError)])
  })

  it('tells an effect whether an earlier attempt with an unknown outcome may have run', async () => {
    class NoAnswer extends Refused {
      override readonly isOutage = true
    }
    const again = { afterMs: 0 }
    const failures = [new Refused(again), new NoAnswer(again), new Refused(again), undefined]
    const told: boolean[] = []
    await start([
      watcher('a', ({ once }) =>
        once('greet', async ({ mayHaveRun }) => {
          const failure = failures[told.push(mayHaveRun) - 1]
          if (failure !== undefined) throw failure
        }),
      ),
    ])
    await enqueue()
    await synced('a')
    // A refused attempt surely did not run. An unanswered one may have run, and the next refusal does not settle it.
    expect(told).toEqual([false, false, true, true])
  })

  it('tells an effect that its run was aborted midway, and tells no other effect', async () => {
    const told: [string, boolean][] = []
    const hang = (signal: AbortSignal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new SurelyNot('It was cut off.'))))
    class SurelyNot extends PawlError {
      readonly code = 'surely_not'
    }
    await start([
      watcher(
        'a',
        async ({ once, signal }) => {
          await once('first', async ({ mayHaveRun }) => void told.push(['first', mayHaveRun]))
          await once('greet', async ({ mayHaveRun }) => {
            told.push(['greet', mayHaveRun])
            if (!mayHaveRun) await hang(signal)
          })
          await once('last', async ({ mayHaveRun }) => void told.push(['last', mayHaveRun]))
        },
        { timeoutMs: 3_000 },
      ),
    ])
    await enqueue()
    await synced('a')
    expect(told).toEqual([
      ['first', false],
      ['greet', false],
      ['greet', true],
      ['last', false],
    ])
  })

  it('repeats no effect whose result retention deleted: it returns undefined then', async () => {
    let aheadMs = 0
    const given: unknown[] = []
    const handler = watcher('a', async ({ once }) => {
      given.push(await once('invoice', async () => ({ id: `inv-${given.length}` })))
    })
    gateway = await startLocalGateway({
      api: service.api,
      handlers: [handler],
      clock: { now: () => Date.now() + aheadMs },
    })
    service.set({ id: 'pa_req_1', status: 'cancelled' })
    await enqueue()
    await synced('a')
    aheadMs = 130 * 86_400_000
    await gateway.ledger.followClock(1_000)
    for (let cursor: number | undefined = 0; cursor !== undefined;)
      cursor = (await gateway.ledger.purge({ keepMs: 30 * 86_400_000, parkedKeepMs: 1, reportKeepMs: 1 }, cursor))
        .cursor
    // Not by a webhook, whose token would count as expired.
    await gateway.ledger.accept(aDelivery({ source: 'cli' }))
    await until('another run', () => given.length === 2)
    expect(given).toEqual([{ id: 'inv-0' }, undefined])
  })

  it('never reverts a terminal status, even if the API serves an older copy', async () => {
    await start([watcher('a')])
    service.set({ id: 'pa_req_1', status: 'completed', outcome: { result: 'Denied' } })
    await enqueue()
    await synced('a')
    service.set({ id: 'pa_req_1', status: 'validating_outcome' })
    await enqueue()
    await until('second run', () => seen.length === 2)
    expect(seen[1]?.context.resource).toMatchObject({ status: 'completed', outcome: { result: 'Denied' } })
  })

  it('accepts an unknown status, and does not treat it as terminal', async () => {
    service.set({ id: 'pa_req_1', status: 'awaiting_moon_phase', new_field: { x: 1 } })
    await start([watcher('a')])
    await enqueue()
    await synced('a')
    expect(seen[0]?.context.resource).toMatchObject({
      status: 'awaiting_moon_phase',
      unknownFields: { new_field: { x: 1 } },
    })
    expect((await gateway.ledger.resource('pa_req_1'))?.terminal).toBe(false)
  })

  /** A handler of outreach that notes each state, and its webhooks. */
  async function startOutreach() {
    const states: (string | undefined)[] = []
    const eventType = 'prior_authorization.provider_outreach_change'
    const outreach = defineHandler({
      name: 'outreach',
      on: [eventType],
      async handle({ resource }) {
        states.push(resource.state)
      },
    })
    await start([outreach])
    const send = (event_id: string, data: object, occurred_at = '2026-01-01T00:00:00Z') =>
      deliver(gateway.url, { ...envelope({ id: 'prov_outreach_1', ...data }, eventType), event_id, occurred_at })
    return { states, send }
  }

  it('takes an outreach attempt from the payload that occurred last, since it has no GET', async () => {
    const { states, send } = await startOutreach()
    await send('wh_evt_2', { state: 'sent' }, '2026-01-02T00:00:00Z')
    await synced('outreach', 'prov_outreach_1')
    await send('wh_evt_1', { state: 'queued' })
    await until('second run', () => states.length === 2)
    expect(states).toEqual(['sent', 'sent'])
    expect(service.reads).toEqual([])
  })

  it('keeps the result of an outreach attempt when an earlier state of the same moment arrives late', async () => {
    const { states, send } = await startOutreach()
    await send('wh_evt_2', { state: 'failed' })
    await synced('outreach', 'prov_outreach_1')
    await send('wh_evt_1', { state: 'sent', transmission: { to: '0' } })
    await until('second run', () => states.length === 2)
    await send('wh_evt_0', { state: 'created' })
    await until('third run', () => states.length === 3)
    expect(states).toEqual(['failed', 'failed', 'failed'])
  })

  it('finishes running work before it stops', async () => {
    await start([watcher('a', () => sleep(200))])
    await enqueue()
    await until('in work', () => seen.length === 1)
    const { ledger } = gateway
    await gateway.close()
    await expect(ledger.counts()).rejects.toThrow()
    await reopen()
    expect((await progressOf('a'))?.state).toBe('synced')
  })

  it('releases work that it cannot finish in time, at no cost of attempts', async () => {
    await start([watcher('a', ({ signal }) => sleep(60_000, undefined, { signal }))], { SHUTDOWN_GRACE_MS: '50' })
    await enqueue()
    await until('in work', () => seen.length === 1)
    await gateway.close()
    await reopen()
    expect(await gateway.ledger.due(10)).toEqual(['pa_req_1'])
    expect(await progressOf('a')).toBeUndefined()
  })
})

/** The same ledger without any worker. */
async function reopen() {
  const { databasePath, destroy } = gateway
  const reopened = await startLocalGateway({}, { ROLE: 'receiver', DATABASE_URL: `file:${databasePath}` })
  gateway = {
    ...reopened,
    destroy: async () => {
      await reopened.destroy()
      await destroy()
    },
  }
}
