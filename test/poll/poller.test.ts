import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import { lookAgainDelayMs, pollDelayMs } from '../../src/poll/pace.ts'
import { createPoller } from '../../src/poll/poller.ts'
import { isSameState } from '../../src/work/same-state.ts'
import { SystemDown } from '../../src/systems/system-down.ts'
import { captureLog } from '../support/log-capture.ts'
import { createScriptedApi, type ScriptedApi } from '../support/scripted-api.ts'
import { startTestGateway, type TestGateway } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

const minuteMs = 60_000

it('a poll while the service is away is worth no warning: that it is away was said once', async () => {
  const { log, lines } = captureLog()
  const noted: (number | undefined)[] = []
  const poller = createPoller({
    ledger: {
      pollable: async () => [{ resourceId: 'pa_req_1', kind: 'prior_authorization', ageMs: 0, snapshot: undefined }],
      notePoll: async (_, delayMs) => void noted.push(delayMs),
      accept: () => Promise.reject(new Error('nothing was found')),
    },
    apiFor: () => ({ readSnapshot: () => Promise.reject(new SystemDown('api', minuteMs)) }),
    enqueue: async () => {},
    intervalMs: 20,
    log,
  })
  poller.start()
  await until('it is put off', () => noted.length > 0)
  await poller.close()
  expect(noted).not.toContain(undefined)
  expect(lines().map(({ level, msg }) => `${String(level)} ${String(msg)}`)).toContain('debug poll failed')
  expect(lines().filter(({ level }) => level !== 'debug')).toEqual([])
})

describe('missed webhooks', () => {
  let gateway: TestGateway
  let service: ScriptedApi
  let aheadMs: number
  const clock = { now: () => Date.now() + aheadMs }
  const seen: { handler: string; status: string; source: string | undefined }[] = []

  beforeEach(async () => {
    aheadMs = 0
    seen.length = 0
    service = createScriptedApi()
    const watch = (name: string, type: 'prior_authorization.status_change' | 'prior_authorization.message') =>
      defineHandler({
        name,
        on: [type],
        async handle({ resource, events }) {
          seen.push({ handler: name, status: resource.status, source: events.at(-1)?.source })
        },
      })
    gateway = await startTestGateway(
      {
        api: service.api,
        clock,
        handlers: [
          watch('status', 'prior_authorization.status_change'),
          watch('messages', 'prior_authorization.message'),
        ],
      },
      { POLL_INTERVAL_MS: '20', LEASE_MS: '3600000' },
    )
  })
  afterEach(() => gateway.destroy())

  /** Only what was given back, with what was found out, has a next poll. */
  const handled = (count: number) =>
    until(
      `${count} runs`,
      async () => seen.length >= count && (await gateway.ledger.resource('pa_req_1'))?.dueAt === undefined,
    )

  it('are found by polling, and reach the handlers that follow what changed', async () => {
    service.set({ id: 'pa_req_1', status: 'processing' })
    await deliver(gateway.url, envelope({ id: 'pa_req_1', status: 'processing' }))
    await handled(1)
    const messages = [{ id: 'm1', content: 'hello' }]
    service.set({ id: 'pa_req_1', status: 'completed', message_thread: { messages } })
    aheadMs = 11 * minuteMs
    await handled(3)
    expect(seen.slice(1).toSorted((a, b) => a.handler.localeCompare(b.handler))).toEqual([
      { handler: 'messages', status: 'completed', source: 'poll' },
      { handler: 'status', status: 'completed', source: 'poll' },
    ])
  })

  it('cost nothing but a read while nothing changed', async () => {
    service.set({ id: 'pa_req_1', status: 'processing', url: 'https://one.example' })
    await deliver(gateway.url, envelope({ id: 'pa_req_1', status: 'processing' }))
    await handled(1)
    service.set({ id: 'pa_req_1', status: 'processing', url: 'https://signed-anew.example' })
    aheadMs = 11 * minuteMs
    await until('polled', () => service.reads.length === 2)
    await until('noted', async () => (await gateway.ledger.resource('pa_req_1'))?.reads === 2)
    expect(await gateway.ledger.resource('pa_req_1')).toMatchObject({ events: 1 })
  })

  it('are looked for in the background of the rate limits, while what rang is read at once', async () => {
    service.set({ id: 'pa_req_1', status: 'processing' })
    await deliver(gateway.url, envelope({ id: 'pa_req_1', status: 'processing' }))
    await handled(1)
    expect(service.priorities).toEqual([undefined])
    aheadMs = 11 * minuteMs
    await until('polled', () => service.reads.length === 2)
    expect(service.priorities).toEqual([undefined, 'background'])
  })

  it('are looked into soon where the API lags behind its own webhook', async () => {
    service.set({ id: 'pa_req_1', status: 'processing' })
    await deliver(gateway.url, envelope({ id: 'pa_req_1', status: 'completed' }))
    await handled(1)
    service.set({ id: 'pa_req_1', status: 'completed' })
    aheadMs = 3_000
    await handled(2)
    expect(seen[1]).toEqual({ handler: 'status', status: 'completed', source: 'poll' })
  })

  it('survive a failed look', async () => {
    service.set({ id: 'pa_req_1', status: 'processing' })
    await deliver(gateway.url, envelope({ id: 'pa_req_1', status: 'processing' }))
    await handled(1)
    service.before = () => {
      throw new Error('away')
    }
    service.set({ id: 'pa_req_1', status: 'completed' })
    aheadMs = 11 * minuteMs
    await until('a failed look', () => service.reads.length === 2)
    await until('it is put off', async () => (await gateway.ledger.counts()).toPoll === 0)
    service.before = () => {}
    aheadMs += 2 * minuteMs
    await handled(2)
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

  it('looks again at a disagreement after ever longer waits, for a minute', () => {
    let ageMs = 0
    const looks = []
    for (let at = lookAgainDelayMs(ageMs); at !== undefined; at = lookAgainDelayMs(ageMs)) {
      looks.push(at)
      ageMs += at
    }
    expect(looks).toEqual([2_000, 2_000, 4_000, 8_000, 16_000, 32_000])
  })
})

describe('the comparison of two answers', () => {
  it('passes over addresses, which are signed anew every time', () => {
    const answer = { a: 1, url: 'x', list: [{ recording_url: 'y', id: 'z' }] }
    expect(isSameState(answer, { ...answer, url: 'other', list: [{ recording_url: 'new', id: 'z' }] })).toBe(true)
    expect(isSameState(answer, { ...answer, a: 2 })).toBe(false)
  })
})
