import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import { ApiNotFound } from '../../../packages/client/src/api/api-errors.ts'
import { pollDelayMs } from '../../../src/work/poll/pace.ts'
import { createPoller } from '../../../src/work/poll/poller.ts'
import type { AnyHandler } from '../../../src/work/handler.ts'
import { lagDelayMs } from '../../../src/work/snapshot.ts'
import { isSameState } from '../../../packages/client/src/schemas/same-state.ts'
import { SystemDown } from '../../../src/systems/system-down.ts'
import { captureLog } from '../../support/log-capture.ts'
import { createScriptedApi, type ScriptedApi } from '../../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../support/start-local-gateway.ts'
import { until } from '../../support/until.ts'
import { deliver, envelope } from '../../support/webhook.ts'
import type { Pollable, PollResult } from '../../../packages/ledger/src/hot/polls.ts'

const minuteMs = 60_000

type PaEventType =
  | 'prior_authorization.status_change'
  | 'prior_authorization.message'
  | 'prior_authorization.real_time_benefits_check_change'

const pollOf = (resourceId: string): Pollable => ({
  resourceId,
  kind: 'prior_authorization',
  snapshot: undefined,
  ageMs: 0,
  newestEventId: 1,
  webhook: undefined,
})

type PollerDeps = Parameters<typeof createPoller>[0]

/** A poller alone, not yet started; it notes what it records. */
function lonePoller(
  claimPolls: PollerDeps['ledger']['claimPolls'],
  read: (id: string) => Promise<object>,
  { log = captureLog().log, intervalMs = 3_600_000 }: Partial<Pick<PollerDeps, 'log' | 'intervalMs'>> = {},
) {
  const recorded: { id: string; result: PollResult }[] = []
  const poller = createPoller({
    isAllPaused: () => false,
    noteDrift() {},
    ledger: {
      claimPolls,
      nextPollIn: async () => undefined,
      recordPoll: async ({ resourceId: id }, result) => (recorded.push({ id, result }), {}),
    },
    apiFor: (id) => ({ readSnapshot: () => read(id) }),
    enqueue: async () => {},
    intervalMs,
    clock: Date,
    log,
  })
  return { poller, recorded }
}

it('a poll that fails in an outage logs no warning, as the outage was logged once', async () => {
  const { log, lines } = captureLog()
  const { poller, recorded } = lonePoller(
    async () => ({ polls: [pollOf('pa_req_1')], more: false }),
    () => Promise.reject(new SystemDown('api', minuteMs)),
    { log, intervalMs: 20 },
  )
  poller.start()
  await until('it is put off', () => recorded.length > 0)
  await poller.close()
  expect(recorded[0]?.result).toEqual({ of: 'failed', pollInMs: minuteMs })
  expect(lines().map(({ level, msg }) => `${String(level)} ${String(msg)}`)).toContain('debug poll failed')
  expect(lines().filter(({ level }) => level !== 'debug')).toEqual([])
})

it('the poller reads each resource of a batch once, and asks for the next batch at once while others may wait', async () => {
  const asked: string[] = []
  let batches = 0
  const { poller, recorded } = lonePoller(
    async () => {
      batches += 1
      return { polls: batches === 1 ? ['a', 'b', 'c', 'd', 'e'].map(pollOf) : [], more: batches < 3 }
    },
    async (id) => {
      asked.push(id)
      return { id, status: 'processing' }
    },
  )
  poller.start()
  await until('three batches', () => batches === 3)
  await poller.close()
  expect(asked.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(recorded.map(({ id }) => id).toSorted()).toEqual(asked.toSorted())
})

describe('a resource whose poll fails', () => {
  const notFound = new ApiNotFound({ method: 'GET', route: '/x', httpStatus: 404 }, 'pa_req_1')
  const broken = new Error('broken')

  /** The minutes until the next poll after each of `count` in a row; `undefined` where there is none. */
  async function pauses(count: number, ageMs: number, answer: (poll: number) => Error | undefined) {
    const { poller, recorded } = lonePoller(
      async () => ({ polls: [{ ...pollOf('pa_req_1'), ageMs }], more: recorded.length < count }),
      async (id) => {
        const error = answer(recorded.length + 1)
        if (error !== undefined) throw error
        return { id, status: 'processing' }
      },
    )
    poller.start()
    await until('all polls', () => recorded.length >= count)
    await poller.close()
    return recorded.slice(0, count).map(({ result }) => {
      const { pollInMs } = result.of === 'changed' ? result.snapshot : result
      return pollInMs && pollInMs / minuteMs
    })
  }

  const day = 1_440
  it.each([
    ['is refused', notFound],
    ['cannot be read', broken],
  ])('because it %s is polled again after growing pauses, up to the pace of its age', async (_, error) => {
    expect(await pauses(6, 0, () => error)).toEqual([1, 2, 4, 8, 10, 10])
    expect(await pauses(11, 2 * day * minuteMs, () => error)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360])
  })

  it('is polled soon again after a readable answer in between', async () => {
    const answer = (poll: number) => (poll === 4 ? undefined : broken)
    expect(await pauses(6, 0, answer)).toEqual([1, 2, 4, 10, 1, 2])
  })

  it('too old for a pace is polled for a day and a half if refused, else daily', async () => {
    const old = 100 * day * minuteMs
    const first = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]
    expect(await pauses(12, old, () => notFound)).toEqual([...first, undefined])
    expect(await pauses(13, old, () => broken)).toEqual([...first, day, day])
  })

  it('because its system is down is polled a minute later, however often', async () => {
    expect(await pauses(5, 0, () => new SystemDown('api', minuteMs))).toEqual([1, 1, 1, 1, 1])
  })
})

describe('missed webhooks', () => {
  let gateway: LocalGateway
  let service: ScriptedApi
  let aheadMs: number
  const clock = { now: () => Date.now() + aheadMs }
  const seen: { handler: string; status: string; type: string | undefined; source: string | undefined }[] = []

  const watch = (name: string, type: PaEventType): AnyHandler =>
    defineHandler({
      name,
      on: [type],
      async handle({ resource, events }) {
        const newest = events.at(-1)
        seen.push({ handler: name, status: resource.status, type: newest?.type, source: newest?.source })
      },
    })

  async function start(
    handlers = [watch('status', 'prior_authorization.status_change')],
    { log, lines } = captureLog(),
  ) {
    gateway = await startLocalGateway(
      { api: service.api, clock, handlers, log },
      { POLL_INTERVAL_MS: '20', LEASE_MS: '3600000' },
    )
    return lines
  }

  beforeEach(() => {
    aheadMs = 0
    seen.length = 0
    service = createScriptedApi()
  })
  afterEach(() => gateway.destroy())

  const atRest = async () => (await gateway.ledger.resource('pa_req_1'))?.dueAt === undefined
  /** Only what was given back, with what was found out, has a next poll. */
  const handled = (count: number) => until(`${count} runs`, async () => seen.length >= count && (await atRest()))
  /** While a poll is under way, its resource is kept for two minutes, which is no time of any pace. */
  const isRecorded = async () => {
    const nextInMs = (await gateway.ledger.nextPollIn()) ?? Infinity
    return nextInMs > 0 && (nextInMs <= minuteMs || nextInMs > 2 * minuteMs)
  }
  /** Resolves once a poll that begins from now on has been recorded. */
  async function polled() {
    const reads = service.reads.length
    await until('polled', () => service.reads.length > reads)
    await until('recorded', isRecorded)
  }

  it('are found by polling, and reach every handler of the kind, regardless of its event types', async () => {
    const types = [
      'prior_authorization.status_change',
      'prior_authorization.message',
      'prior_authorization.real_time_benefits_check_change',
    ] as const
    const lines = await start(types.map((type) => watch(type, type)))
    service.set({ id: 'pa_req_1', status: 'processing' })
    await deliver(gateway.url, envelope({ id: 'pa_req_1', status: 'processing' }))
    await handled(1)
    service.set({ id: 'pa_req_1', status: 'processing', real_time_benefits_check_response: { patient_cost: 1 } })
    aheadMs = 11 * minuteMs
    await handled(4)
    const found = types.map((type) => ({ handler: type, status: 'processing', type, source: 'poll' }))
    expect(new Set(seen.slice(1))).toEqual(new Set(found))
    // The line that tells of it has the trace of the runs that follow from it.
    const [told] = lines().filter(({ msg }) => msg === 'change found by polling')
    expect(told?.trace_id).toMatch(/^[0-9a-f]{32}$/)
    expect(lines().findLast(({ msg }) => msg === 'handled')?.trace_id).toBe(told?.trace_id)
    expect((await gateway.ledger.resource('pa_req_1'))?.events).toBe(2)
  })

  it('are found even if no handler follows the only event of the resource', async () => {
    await start()
    service.set({ id: 'pa_req_1', status: 'processing' })
    const unfollowed = 'prior_authorization.activity_log_updated'
    await deliver(gateway.url, envelope({ id: 'pa_req_1', status: 'processing' }, unfollowed))
    await handled(1)
    service.set({ id: 'pa_req_1', status: 'completed' })
    aheadMs = 24 * 60 * minuteMs
    await handled(2)
    expect(seen.map(({ status }) => status)).toEqual(['processing', 'completed'])
  })

  it('cost one read while nothing changed', async () => {
    await start()
    service.set({ id: 'pa_req_1', status: 'processing', url: 'https://one.example' })
    await deliver(gateway.url, envelope({ id: 'pa_req_1', status: 'processing' }))
    await handled(1)
    service.set({ id: 'pa_req_1', status: 'processing', url: 'https://signed-anew.example' })
    aheadMs = 11 * minuteMs
    await until('polled', () => service.reads.length === 2)
    await until('recorded', async () => (await gateway.ledger.resource('pa_req_1'))?.reads === 2)
    expect(await gateway.ledger.resource('pa_req_1')).toMatchObject({ events: 1 })
  })

  it('cost one read if a poll found a change: handlers get what it read', async () => {
    await start()
    service.set({ id: 'pa_req_1', status: 'processing' })
    await deliver(gateway.url, envelope({ id: 'pa_req_1', status: 'processing' }))
    await handled(1)
    service.set({ id: 'pa_req_1', status: 'cancelled' })
    aheadMs = 11 * minuteMs
    await handled(2)
    expect(await gateway.ledger.resource('pa_req_1')).toMatchObject({ reads: 2, terminal: true })
    expect(service.reads).toHaveLength(2)
  })

  it('are polled in the background of the rate limits, while webhooks trigger reads at once', async () => {
    await start()
    service.set({ id: 'pa_req_1', status: 'processing' })
    await deliver(gateway.url, envelope({ id: 'pa_req_1', status: 'processing' }))
    await handled(1)
    expect(service.priorities).toEqual([undefined])
    aheadMs = 11 * minuteMs
    await until('polled', () => service.reads.length === 2)
    expect(service.priorities).toEqual([undefined, 'background'])
  })

  it('are found soon if the API lags behind its own webhook, despite any number of vain reads', async () => {
    await start()
    service.set({ id: 'pa_req_1', status: 'processing' })
    await deliver(gateway.url, envelope({ id: 'pa_req_1', status: 'completed' }))
    await handled(1)
    for (const sinceMs of [3_000, 7_000, 15_000]) {
      const next = polled()
      aheadMs = sinceMs
      await next
    }
    service.set({ id: 'pa_req_1', status: 'completed' })
    aheadMs = 59_000
    await handled(2)
    expect(seen[1]).toMatchObject({ status: 'completed', source: 'poll' })
  })

  it('are found soon also if the API took another step meanwhile', async () => {
    await start()
    service.set({ id: 'pa_req_1', status: 'processing' })
    await deliver(gateway.url, envelope({ id: 'pa_req_1', status: 'completed' }))
    await handled(1)
    service.set({ id: 'pa_req_1', status: 'validating_outcome' })
    aheadMs = 3_000
    await handled(2)
    service.set({ id: 'pa_req_1', status: 'completed' })
    aheadMs = 30_000
    await handled(3)
    expect(seen.map(({ status }) => status)).toEqual(['processing', 'validating_outcome', 'completed'])
  })

  it('are not invented: an older copy of an ended resource is no change', async () => {
    await start()
    const ended = { id: 'pa_req_1', status: 'completed', outcome: { result: 'Approved' }, ndp_submission: {} }
    service.set(ended)
    await deliver(gateway.url, envelope(ended))
    await handled(1)
    service.set({ id: 'pa_req_1', status: 'validating_outcome' })
    aheadMs = 11 * minuteMs
    await polled()
    expect(await gateway.ledger.resource('pa_req_1')).toMatchObject({ events: 1, terminal: true })
  })

  it('are not invented: an answer about another resource is no data', async () => {
    await start()
    await deliver(gateway.url, envelope({ id: 'pa_req_1', status: 'processing' }))
    await handled(1)
    const { readSnapshot } = service.api
    service.api.readSnapshot = (kind, _id, options) => readSnapshot(kind, 'pa_req_2', options)
    service.set({ id: 'pa_req_2', status: 'completed' })
    aheadMs = 11 * minuteMs
    await polled()
    expect(await gateway.ledger.resource('pa_req_1')).toMatchObject({ events: 1, terminal: false })
  })
})

describe('the pace of polling', () => {
  const approved = { id: 'x', status: 'completed', outcome: { result: 'Approved' } }

  it('slows down with age and ends', () => {
    const hourMs = 60 * minuteMs
    const ages = [0, 2 * hourMs, 48 * hourMs, 30 * 24 * hourMs, 100 * 24 * hourMs]
    const waits = ages.map((ageMs) => pollDelayMs('prior_authorization', { status: 'processing' }, ageMs))
    expect(waits).toEqual([10 * minuteMs, hourMs, 6 * hourMs, 24 * hourMs, undefined])
  })

  it('leaves terminal resources alone, but not a transfer that still runs or is still to come', () => {
    const poll = (resource: object) => pollDelayMs('prior_authorization', resource, 0) !== undefined
    expect(poll({ id: 'x', status: 'cancelled' })).toBe(false)
    expect(poll(approved)).toBe(false)
    expect(poll({ ...approved, ndp_submission: { preferred_pharmacy_ncpdp_id: '0123456' } })).toBe(true)
    expect(poll({ ...approved, prescription_transfer: { status: 'in_progress' } })).toBe(true)
    expect(poll({ ...approved, prescription_transfer: { status: 'error' } })).toBe(false)
    expect(poll({ id: 'x', status: 'never_heard_of' })).toBe(true)
  })

  it('follows a completed PA to the end of its transfer even if no PA was required', () => {
    const ndp = { ndp_submission: { preferred_pharmacy_ncpdp_id: '0123456' } }
    const ended = (result: string, detailCode: string) => ({
      id: 'x',
      status: 'completed',
      outcome: { result, detail_code: detailCode },
      ...ndp,
    })
    const poll = (resource: object) => pollDelayMs('prior_authorization', resource, 0) !== undefined
    expect(poll(ended('Other', 'prior_auth_not_required'))).toBe(true)
    expect(poll(ended('Other', 'duplicate_request'))).toBe(false)
    expect(poll(ended('Denied', 'plan_exclusion'))).toBe(false)
    expect(poll({ ...ended('Other', 'prior_auth_not_required'), status: 'not_submitted' })).toBe(false)
  })

  it('repeats the read of an API behind its webhook after growing waits, for a minute', () => {
    const body = { text: JSON.stringify({ event_type: 't', data: { id: 'x', status: 'completed' } }) }
    const asks = (data: object) => {
      const waits: number[] = []
      let ageMs = 0
      for (let wait = lagDelayMs({ body, ageMs }, data); wait !== undefined; wait = lagDelayMs({ body, ageMs }, data)) {
        waits.push(wait)
        ageMs += wait
      }
      return waits
    }
    expect(asks({ id: 'x', status: 'processing' })).toEqual([2_000, 2_000, 4_000, 8_000, 16_000, 32_000])
    expect(asks({ id: 'x', status: 'completed' })).toEqual([])
  })
})

describe('the comparison of two answers', () => {
  it('ignores addresses, which are signed anew every time', () => {
    const answer = { a: 1, url: 'x', list: [{ recording_url: 'y', id: 'z' }] }
    expect(isSameState(answer, { ...answer, url: 'other', list: [{ recording_url: 'new', id: 'z' }] })).toBe(true)
    expect(isSameState(answer, { ...answer, a: 2 })).toBe(false)
  })

  it('detects an added or removed address', () => {
    const details = (url?: string | null) => ({ activity_log: [{ id: 'a', details: { url } }] })
    expect(isSameState(details(null), details('x'))).toBe(false)
    expect(isSameState({ activity_log: [{ id: 'a', details: {} }] }, details('x'))).toBe(false)
  })
})
