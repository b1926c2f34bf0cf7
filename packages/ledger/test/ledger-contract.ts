import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { amendmentIn, amendmentRole } from '../../base/src/amendment.ts'
import type { Clock } from '../../base/src/clock.ts'
import { ClaimLost, type Claim, type ClaimToken } from '../src/hot/claim.ts'
import { readDocument } from '../src/sealing/documents.ts'
import type { Ledger } from '../src/ledger.ts'
import { createSeal, type Seal, SealBroken } from '../src/sealing/seal.ts'
import { parseDelivery } from '../../../src/receive/parse-delivery.ts'
import { act } from '../../../test/support/act.ts'
import type { Delivery } from '../src/hot/accept.ts'
import type { Failure, Note } from '../src/hot/notes.ts'
import type { PurgeStep } from '../src/upkeep/purge.ts'
import type { Upkeep } from '../src/upkeep/create-upkeep.ts'
import { aDelivery } from './a-delivery.ts'

/** Opens another connection to the same durable storage, as another process would. */
export interface LedgerStand {
  open(options: { clock: Clock; seal: Seal }): Promise<Ledger>
  destroy(): Promise<void>
}

const leaseMs = 1_000
// SQLite and PostgreSQL refuse it alike.
const unstorable = null as unknown as string
const handlerNames = { prior_authorization: ['h'] }

const delivery = ({ text = '{"a":1}', ...different }: Partial<Delivery> & { text?: string } = {}) =>
  aDelivery({ body: text, ...different })

/** The behaviour that every kind of ledger must show. */
export function describeLedger(name: string, createStand: () => Promise<LedgerStand>) {
  describe(`a ledger on ${name}`, () => {
    let stand: LedgerStand
    let ledger: Ledger
    let now: number
    const clock: Clock = { now: () => now }
    const seal = createSeal([randomBytes(32)])

    beforeEach(async () => {
      now = 1_000_000
      stand = await createStand()
      ledger = await stand.open({ clock, seal })
    })
    afterEach(async () => {
      await ledger.close()
      await stand.destroy()
    })

    async function claimed(id = 'pa_req_1'): Promise<Claim> {
      const claim = await ledger.claim(id, leaseMs, handlerNames)
      if (claim === undefined) throw new Error(`${id} could not be claimed`)
      return claim
    }
    const polls = async () => (await ledger.claimPolls(10, 500)).polls
    const release = (claim: Claim, dueInMs?: number, restMs = 0) =>
      ledger.release(claim, { notes: [], dueInMs, restMs })
    const snapshotOf = (claim: Claim, data: unknown, pollInMs = 5): Extract<Note, { of: 'snapshot' }> => ({
      of: 'snapshot',
      text: JSON.stringify(data),
      eventId: claim.newestEventId,
      terminal: false,
      pollInMs,
    })
    const save = (claim: Claim, data: unknown, pollInMs?: number) =>
      ledger.record(claim, [snapshotOf(claim, data, pollInMs)])
    const successOf = (claim: Claim): Note => ({ of: 'success', run: run('h', claim.newestEventId) })
    const succeed = (claim: Claim) => ledger.record(claim, [successOf(claim)])
    type FailedRun = Pick<Failure, 'attempts' | 'delayMs' | 'parkedAgainMs'> & {
      lastEventId?: number
      handler?: string
    }
    const failureOf = (claim: Claim, failure: FailedRun): Note => {
      const error = { code: 'ehr_write_failed', message: 'refused' }
      return { of: 'failure', run: { ...run('h', claim.newestEventId), writes: [], error, ...failure } }
    }
    const fail = (claim: Claim, failure: FailedRun) => ledger.record(claim, [failureOf(claim, failure)])
    const run = (handler: string, lastEventId: number) => ({
      handler,
      startedAt: now,
      finishedAt: now,
      firstEventId: lastEventId,
      lastEventId,
      writes: [{ system: 'ehr', type: 'Task', id: 't1' }],
    })

    /** Gives it back, a handler having succeeded with a snapshot that names the resource. */
    const succeedAndRelease = (claim: Claim, dueInMs: number) =>
      ledger.release(claim, {
        notes: [snapshotOf(claim, { of: claim.resourceId }), successOf(claim)],
        dueInMs,
        restMs: 0,
      })

    it('counts a byte-identical copy of the newest event as a duplicate', async () => {
      const first = await ledger.accept(delivery())
      expect(first.duplicate).toBe(false)
      expect(await ledger.accept(delivery())).toEqual({ ...first, duplicate: true })
      expect(await ledger.resource('pa_req_1')).toMatchObject({ events: 1, repeats: 1 })
    })

    it('stores any text of an envelope, a handler or another system', async () => {
      const odd = { event_type: 'un\0known', event_id: '\0', data: { id: '\0' } }
      const accept = () => ledger.accept(parseDelivery(Buffer.from(JSON.stringify(odd))))
      const first = await accept()
      expect(await accept()).toEqual({ ...first, duplicate: true })

      const { eventId: own } = await ledger.accept(delivery())
      const claim = await claimed()
      expect(await ledger.effect('pa_req_1', 'chart', 'key\0')).toBeUndefined()
      await ledger.recordEffect('pa_req_1', 'chart', 'key\0')
      expect(await ledger.effect('pa_req_1', 'chart', 'key\0')).toBeDefined()
      const error = { code: 'refused', message: 'not\0allowed' }
      const failed = { ...run('chart', own), error, attempts: 1, delayMs: undefined }
      await ledger.record(claim, [{ of: 'failure', run: failed }])
      expect((await ledger.work({ state: 'parked' }, 10)).rows).toMatchObject([
        { handler: 'chart', errorCode: 'refused' },
      ])
    })

    it('stores A, B, A as three events: the second A is a genuine return', async () => {
      const results = []
      for (const text of ['{"s":"A"}', '{"s":"B"}', '{"s":"A"}']) results.push(await ledger.accept(delivery({ text })))
      expect(results.map(({ duplicate }) => duplicate)).toEqual([false, false, false])
    })

    it('classifies A, A, B, A, A correctly in one commit', async () => {
      const texts = ['A', 'A', 'B', 'A', 'A'].map((s) => JSON.stringify({ s }))
      const results = await Promise.all(texts.map((text) => ledger.accept(delivery({ text }))))
      expect(results.map(({ duplicate }) => duplicate)).toEqual([false, true, false, false, true])
      const [a1, a1copy, b, a2, a2copy] = results.map(({ eventId }) => eventId)
      expect([a1copy, a2copy]).toEqual([a1, a2])
      expect(new Set([a1, b, a2]).size).toBe(3)
    })

    it('recognises a copy of the newest webhook despite own events in between, and polls for a return', async () => {
      const webhook = () => ledger.accept(delivery({ text: '{"s":"A"}' }))
      const own = (source: Delivery['source'], n: number) =>
        ledger.accept(delivery({ text: JSON.stringify({ own: n }), source }))
      const first = await webhook()
      await release(await claimed())
      for (const poll of await polls()) await ledger.recordPoll(poll, { of: 'unchanged', pollInMs: 900 })
      expect(await webhook()).toEqual({ ...first, duplicate: true })
      // Nothing came in between: there is nothing to ask.
      expect(await polls()).toEqual([])
      for (const [n, source] of (['poll', 'api', 'cli'] as const).entries()) {
        expect((await own(source, n)).duplicate).toBe(false)
        expect(await webhook()).toEqual({ ...first, duplicate: true })
      }
      await release(await claimed())
      expect((await polls()).map(({ resourceId }) => resourceId)).toEqual(['pa_req_1'])

      // The same within one commit, and a webhook that differs still lets the next one return.
      const results = await Promise.all([
        webhook(),
        own('poll', 7),
        webhook(),
        ledger.accept(delivery({ text: '{"s":"B"}' })),
        webhook(),
      ])
      expect(results.map(({ duplicate }) => duplicate)).toEqual([true, false, true, false, false])
      expect(await ledger.resource('pa_req_1')).toMatchObject({ events: 7, repeats: 6 })
    })

    it('dedupes only within one type and one resource', async () => {
      await ledger.accept(delivery())
      const otherType = await ledger.accept(delivery({ eventType: 'prior_authorization.message' }))
      const otherResource = await ledger.accept(delivery({ resourceId: 'pa_req_2' }))
      expect([otherType.duplicate, otherResource.duplicate]).toEqual([false, false])
    })

    it('recognises an event by its event_id at any age', async () => {
      const outreach = { eventType: 'prior_authorization.provider_outreach_change', kind: 'provider_outreach' } as const
      const first = await ledger.accept(delivery({ ...outreach, eventKey: 'wh_evt_1', text: '{"n":1}' }))
      await ledger.accept(delivery({ ...outreach, eventKey: 'wh_evt_2', text: '{"n":2}' }))
      const again = await ledger.accept(delivery({ ...outreach, eventKey: 'wh_evt_1', text: '{"n":1,"x":0}' }))
      expect(again).toEqual({ ...first, duplicate: true })
    })

    it('scopes an event_id to its resource', async () => {
      const first = await ledger.accept(delivery({ eventKey: 'wh_evt_1' }))
      const other = await ledger.accept(delivery({ resourceId: 'pa_req_2', eventKey: 'wh_evt_1', text: '{"n":2}' }))
      expect([first.duplicate, other.duplicate]).toEqual([false, false])
      expect((await ledger.due(10)).toSorted()).toEqual(['pa_req_1', 'pa_req_2'])
      const together = await Promise.all(
        ['pa_req_3', 'pa_req_4', 'pa_req_3'].map((resourceId, n) =>
          ledger.accept(delivery({ resourceId, eventKey: 'wh_evt_2', text: `{"n":${n}}` })),
        ),
      )
      expect(together.map(({ duplicate }) => duplicate)).toEqual([false, false, true])
    })

    it('accepts a body that begins with a byte order mark', async () => {
      await ledger.accept(delivery({ text: '\ufeff{"n":1}' }))
      expect(readDocument((await claimed()).newestBody)).toEqual({ n: 1 })
    })

    it('stores fifty concurrent copies, over two connections, once', async () => {
      const other = await stand.open({ clock, seal })
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? ledger : other).accept(delivery())),
      )
      await other.close()
      expect(results.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
      expect(await ledger.resource('pa_req_1')).toMatchObject({ events: 1, repeats: 49 })
    })

    it('stores an event that no handler can follow, and makes nothing due', async () => {
      await ledger.accept(delivery({ resourceId: undefined, kind: undefined, eventType: 'something.new' }))
      expect(await ledger.due(10)).toEqual([])
      expect(await ledger.counts()).toMatchObject({ events: 1, unhandled: 1, resources: 0 })
    })

    it('recognises copies of an event that no handler can follow, and finds it by its resource', async () => {
      const strange = delivery({ kind: undefined, eventType: 'something.new', text: 'strange' })
      const first = await ledger.accept(strange)
      await ledger.accept(delivery())
      expect(await ledger.accept(strange)).toEqual({ ...first, duplicate: true })
      expect(await ledger.accept({ ...strange, resourceId: 'pa_req_2' })).toMatchObject({ duplicate: false })
      expect((await ledger.bodies('pa_req_1')).map(({ body }) => Buffer.from(body).toString())).toEqual([
        'strange',
        '{"a":1}',
      ])
      expect((await ledger.listEvents({ resourceId: 'pa_req_1' }, 10)).rows).toHaveLength(2)
      expect(await ledger.resource('pa_req_1')).toMatchObject({ events: 2, repeats: 1 })
      expect(await ledger.erase('pa_req_1', 'invented', act)).toMatchObject({ removed: { bodies: 2 } })
    })

    it('returns bodies verbatim, though they are sealed at rest', async () => {
      await ledger.accept(delivery({ text: '{"name":"Testa"}' }))
      const [stored] = await ledger.bodies('pa_req_1')
      expect(Buffer.from(stored?.body ?? []).toString()).toBe('{"name":"Testa"}')
    })

    it('grants a resource to one claimant at a time', async () => {
      await ledger.accept(delivery())
      const other = await stand.open({ clock, seal })
      const claims = await Promise.all(
        [ledger, other, ledger, other].map((l) => l.claim('pa_req_1', leaseMs, handlerNames)),
      )
      await other.close()
      expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1)
      expect(await ledger.due(10)).toEqual([])
    })

    it('frees a resource when the lease ends, and rejects results of the former holder', async () => {
      await ledger.accept(delivery())
      const lost = await claimed()
      now += leaseMs
      expect(await ledger.due(10)).toEqual(['pa_req_1'])
      await claimed()
      await expect(succeed(lost)).rejects.toThrow(ClaimLost)
      await expect(save(lost, {})).rejects.toThrow(ClaimLost)
      expect(await ledger.renew(lost, leaseMs)).toBe(false)
      await expect(release(lost)).rejects.toThrow(ClaimLost)
    })

    it('suspects a resource whose claim was never given back, and counts claims lost while it ran alone', async () => {
      await ledger.accept(delivery())
      const seen: [boolean, number][] = []
      const claimNext = async (alone: boolean) => {
        const claim = await ledger.claim('pa_req_1', leaseMs, handlerNames, alone)
        if (claim === undefined) throw new Error('it could not be claimed')
        seen.push([claim.suspect, claim.claimsLost])
        return claim
      }
      for (const alone of [false, false, true, true]) {
        await claimNext(alone)
        now += leaseMs
      }
      const untried = await claimNext(false)
      await ledger.release(untried, { notes: [], dueInMs: 0, restMs: 0, untried: true })
      await release(await claimNext(true), 0)
      await claimNext(false)
      expect(seen).toEqual([
        [false, 0],
        [true, 0],
        [true, 0],
        [true, 1],
        [true, 2],
        [true, 2],
        [false, 0],
      ])
    })

    it('extends a renewed lease', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      now += leaseMs - 1
      expect(await ledger.renew(claim, leaseMs)).toBe(true)
      now += leaseMs - 1
      expect(await ledger.claim('pa_req_1', leaseMs, handlerNames)).toBeUndefined()
    })

    it('keeps a resource due if an event was stored during its claim', async () => {
      await ledger.accept(delivery({ text: '1' }))
      const claim = await claimed()
      await ledger.accept(delivery({ text: '2' }))
      expect(await release(claim)).toBe(0)
      expect(await ledger.due(10)).toEqual(['pa_req_1'])
    })

    it('rests a released resource, and reports when the next one comes due', async () => {
      await ledger.accept(delivery())
      await release(await claimed(), 500)
      expect(await ledger.due(10)).toEqual([])
      expect(await ledger.nextDueIn()).toBe(500)
      now += 500
      expect(await ledger.due(10)).toEqual(['pa_req_1'])
      await release(await claimed())
      expect(await ledger.nextDueIn()).toBeUndefined()
    })

    it('delays a burst until the rest after a run ends', async () => {
      await ledger.accept(delivery({ text: '1' }))
      const claim = await claimed()
      await ledger.accept(delivery({ text: '2' }))
      expect(await release(claim, undefined, 300)).toBe(300)
      await ledger.accept(delivery({ text: '3' }))
      expect(await ledger.claim('pa_req_1', leaseMs, handlerNames)).toBeUndefined()
      now += 300
      expect((await claimed()).newestEventId).toBe(3)
    })

    it('lets a resource be claimed out of its turn, once it is made due', async () => {
      await ledger.accept(delivery())
      await release(await claimed(), undefined, 60_000)
      expect(await ledger.claim('pa_req_1', leaseMs, handlerNames)).toBeUndefined()
      await ledger.makeDueNow('pa_req_1')
      await release(await claimed())
      expect(await ledger.due(10)).toEqual([])
    })

    it('counts the end of a lease as a time when work comes due', async () => {
      await ledger.accept(delivery())
      await claimed()
      expect(await ledger.nextDueIn()).toBe(leaseMs)
    })

    it('passes snapshot and baseline to the next claim', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      const data = { id: 'pa_req_1', status: 'processing', unknown_field: [1] }
      await save(claim, data)
      await succeed(claim)
      await release(claim, 0)
      const next = await claimed()
      expect(next.snapshot?.eventId).toBe(claim.newestEventId)
      expect(readDocument(next.snapshot?.document)).toEqual(data)
      expect(next.progress.get('h')).toMatchObject({ state: 'synced', attempts: 0 })
      expect(readDocument(next.progress.get('h')?.baseline)).toEqual(data)
      expect(await ledger.resource('pa_req_1')).toMatchObject({ reads: 1, writes: 1 })
    })

    it('records the notes of a release all or not at all', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      const orphan = failureOf(claim, { attempts: 1, delayMs: 0, handler: unstorable })
      await expect(
        ledger.release(claim, { notes: [snapshotOf(claim, { v: 1 }), orphan], dueInMs: undefined, restMs: 0 }),
      ).rejects.toThrow()
      expect(await ledger.resource('pa_req_1')).toMatchObject({ reads: 0, progress: [] })
      expect(await ledger.claim('pa_req_1', leaseMs, handlerNames)).toBeUndefined()
      const notes = [snapshotOf(claim, { v: 2 }), successOf(claim)]
      expect(await ledger.release(claim, { notes, dueInMs: 7, restMs: 0 })).toBe(7)
      now += 7
      const next = await claimed()
      expect(readDocument(next.snapshot?.document)).toEqual({ v: 2 })
      expect(readDocument(next.progress.get('h')?.baseline)).toEqual({ v: 2 })
    })

    it('grants many claims at once, each with its own data, and one resource to one claimant', async () => {
      const ids = Array.from({ length: 70 }, (_, n) => `pa_req_${n}`)
      await Promise.all(ids.map((resourceId, n) => ledger.accept(delivery({ resourceId, text: `{"n":${n}}` }))))
      const once = await Promise.all(ids.map((id) => ledger.claim(id, leaseMs, handlerNames)))
      await Promise.all(once.flatMap((claim) => (claim === undefined ? [] : succeedAndRelease(claim, 0))))
      await Promise.all(
        ids.slice(0, 3).map((resourceId, n) => ledger.accept(delivery({ resourceId, text: `{"again":${n}}` }))),
      )
      const asked = ['pa_req_2', 'pa_req_unknown', 'pa_req_0', 'pa_req_2', 'pa_req_1']
      const claims = await Promise.all(asked.map((id) => ledger.claim(id, leaseMs, handlerNames)))
      expect(claims.map((claim) => claim && readDocument(claim.newestBody))).toEqual([
        { again: 2 },
        undefined,
        { again: 0 },
        undefined,
        { again: 1 },
      ])
      for (const claim of claims)
        if (claim) expect(readDocument(claim.snapshot?.document)).toEqual({ of: claim.resourceId })
    })

    it('releases many claims at once, and fails only those that are lost or unstorable', async () => {
      const ids = Array.from({ length: 5 }, (_, n) => `pa_req_${n}`)
      await Promise.all(ids.map((resourceId) => ledger.accept(delivery({ resourceId }))))
      const claims = (await Promise.all(ids.map((id) => ledger.claim(id, leaseMs, handlerNames)))).map(
        (claim) => claim ?? expect.fail('It is due.'),
      )
      const results = await Promise.allSettled(
        claims.map((claim, n) => {
          if (n === 1) return succeedAndRelease({ ...claim, owner: 'somebody else' }, 7)
          if (n !== 3) return succeedAndRelease(claim, 7)
          const notes = [failureOf(claim, { attempts: 1, delayMs: 0, handler: unstorable })]
          return ledger.release(claim, { notes, dueInMs: 7, restMs: 0 })
        }),
      )
      expect(results.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ])
      expect(results[1]).toMatchObject({ reason: expect.any(ClaimLost) })
      const stored = await Promise.all(ids.map((id) => ledger.resource(id)))
      expect(stored.map((resource) => resource?.progress.length)).toEqual([1, 0, 1, 0, 1])
    })

    it('claims with the unsynced events of its followers, and the body of the newest', async () => {
      await ledger.accept(delivery({ text: '{"n":1}' }))
      const first = await claimed()
      expect(first.events.map(({ id }) => id)).toEqual([first.newestEventId])
      expect(readDocument(first.newestBody)).toEqual({ n: 1 })
      await succeed(first)
      await release(first)
      await ledger.accept(delivery({ text: '{"n":2}' }))
      await ledger.accept(delivery({ text: '{"n":3}', eventType: 'prior_authorization.message' }))
      const next = await claimed()
      expect(next.events.map(({ id, type }) => [id, type])).toEqual([
        [2, 'prior_authorization.status_change'],
        [3, 'prior_authorization.message'],
      ])
      expect(readDocument(next.newestBody)).toEqual({ n: 3 })
      await release(next, 0)
      const both = await ledger.claim('pa_req_1', leaseMs, { prior_authorization: ['h', 'new'] })
      expect(both?.events).toHaveLength(3)
      if (both !== undefined) await release(both, 0)
      const nobody = await ledger.claim('pa_req_1', leaseMs, { benefit_verification: ['h'] })
      expect(nobody).toMatchObject({ events: [], newestBody: undefined })
    })

    it('keeps the baseline of the last success through failures', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      await save(claim, { v: 1 })
      await succeed(claim)
      await save(claim, { v: 2 })
      await fail(claim, { attempts: 3, delayMs: 9, lastEventId: 2 })
      await release(claim, 0)
      const progress = (await claimed()).progress.get('h')
      expect(progress).toMatchObject({ state: 'due', handledEventId: 1, triedEventId: 2, attempts: 3, dueInMs: 9 })
      expect(progress?.errorCode).toBe('ehr_write_failed')
      expect(readDocument(progress?.baseline)).toEqual({ v: 1 })
    })

    it('stores no snapshot that differs from a known one only in signed addresses', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      await save(claim, { v: 1, url: 'a' })
      await succeed(claim)
      for (const data of [
        { v: 1, url: 'b' },
        { v: 2, url: 'c' },
        ...['d', 'e', 'f', 'g'].map((url) => ({ v: 3, url })),
      ]) {
        await save(claim, data)
        await fail(claim, { attempts: 1, delayMs: 0, lastEventId: 2 })
      }
      await release(claim, 0)
      expect((await claimed()).progress.get('h')?.tried.map(readDocument)).toEqual([
        { v: 2, url: 'c' },
        { v: 3, url: 'd' },
      ])
    })

    it('keeps each snapshot that the handler failed with once, until it succeeds', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      await save(claim, { v: 1 })
      await succeed(claim)
      for (const v of [2, 2, 3, 1]) {
        await save(claim, { v })
        await fail(claim, { attempts: 1, delayMs: 0, lastEventId: 2 })
      }
      await release(claim, 0)
      const next = await claimed()
      expect(next.progress.get('h')?.tried.map(readDocument)).toEqual([{ v: 2 }, { v: 3 }])
      await save(next, { v: 1 })
      await succeed(next)
      await release(next, 0)
      expect((await claimed()).progress.get('h')?.tried).toEqual([])
    })

    it('has work in sync once it is discarded, also of a resource that no GET ever read', async () => {
      const { eventId: newest } = await ledger.accept(delivery())
      const claim = await claimed()
      await fail(claim, { attempts: 15, delayMs: undefined })
      await release(claim)
      const work = [{ resourceId: 'pa_req_1', handler: 'h' }]
      expect(await ledger.discard(work, { ...act, reason: 'unknown to the service' })).toEqual(['discarded'])
      const next = await claimed()
      expect(next.progress.get('h')).toMatchObject({ state: 'synced', handledEventId: newest })
      expect(next.events).toEqual([])
      expect(next.snapshot).toBeUndefined()
    })

    it('keeps work due that is parked and retried under one claim of another handler', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      await fail(claim, { attempts: 15, delayMs: undefined })
      await ledger.retryWork({}, act)
      expect(await release(claim)).toBe(0)
      expect(await ledger.due(10)).toEqual(['pa_req_1'])
      await release(await claimed())
      expect(await ledger.due(10)).toEqual([])
    })

    it('keeps parked work due that is retried while another handler of its resource runs', async () => {
      await ledger.accept(delivery({ text: '1' }))
      const claim = await claimed()
      await fail(claim, { attempts: 15, delayMs: undefined })
      await release(claim)
      await ledger.accept(delivery({ text: '2' }))
      const next = await claimed()
      await ledger.retryWork({}, act)
      expect(await release(next)).toBe(0)
      expect(await ledger.due(10)).toEqual(['pa_req_1'])
    })

    it('ends every wait after the clock is set back, and grants no claim before', async () => {
      for (const id of ['waiting', 'resting', 'held']) await ledger.accept(delivery({ resourceId: id }))
      const waiting = await claimed('waiting')
      await fail(waiting, { attempts: 1, delayMs: 900 })
      await release(waiting, 900)
      await release(await claimed('resting'), undefined, 900)
      const held = await claimed('held')
      now -= 3_600_000
      await ledger.accept(delivery({ resourceId: 'resting', text: '2' }))
      expect(await ledger.claim('resting', leaseMs, handlerNames)).toBeUndefined()
      expect(await ledger.followClock(leaseMs)).toBe(true)
      expect(await ledger.followClock(leaseMs)).toBe(false)
      expect((await ledger.due(10)).toSorted()).toEqual(['resting', 'waiting'])
      expect((await claimed('waiting')).progress.get('h')?.dueInMs).toBe(0)
      expect(await ledger.renew(held, leaseMs)).toBe(true)
      now += leaseMs
      expect(await ledger.due(10)).toContain('held')
    })

    it('leaves a live claim alone when the clock is set forward', async () => {
      await ledger.accept(delivery())
      const held = await claimed()
      now += 3_600_000
      expect(await ledger.claim('pa_req_1', leaseMs, handlerNames)).toBeUndefined()
      await ledger.followClock(leaseMs)
      expect(await ledger.due(10)).toEqual([])
      expect(await ledger.renew(held, leaseMs)).toBe(true)
    })

    it('notices at the start that the clock was set back while no process ran', async () => {
      await ledger.accept(delivery())
      await release(await claimed(), 900)
      now -= 3_600_000
      const receiver = await stand.open({ clock, seal })
      await receiver.accept(delivery({ resourceId: 'pa_req_2' }))
      const worker = await stand.open({ clock, seal })
      expect(await worker.followClock(leaseMs)).toBe(true)
      expect((await worker.due(10)).toSorted()).toEqual(['pa_req_1', 'pa_req_2'])
      await receiver.close()
      await worker.close()
    })

    it('gives refusals and alerts of the future the time at which the clock was set back, also while no process ran', async () => {
      const found = {
        kind: 'refused',
        subject: 'token_expired',
        level: 0,
        count: 40,
        forMs: 60_000,
        opens: true,
      } as const
      ledger.reject({ reason: 'token_expired', bytes: 1 })
      await ledger.noteAlerts({ found: [found], gone: [] })
      await ledger.close()
      now -= 3_600_000
      ledger = await stand.open({ clock, seal })
      expect(await ledger.followClock(leaseMs)).toBe(true)
      expect(await ledger.openAlerts()).toMatchObject([{ beganAt: now, openedAt: now, changedAt: now }])
      expect(await ledger.listRejections({}, 10)).toMatchObject([{ at: now }])
    })

    it('fails only the readers of an unreadable document', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      await save(claim, {})
      await succeed(claim)
      await release(claim, 0)
      const other = await stand.open({ clock, seal: createSeal([randomBytes(32)]) })
      const next = await other.claim('pa_req_1', leaseMs, handlerNames)
      expect(() => readDocument(next?.snapshot?.document)).toThrow(SealBroken)
      expect(() => readDocument(next?.progress.get('h')?.baseline)).toThrow(SealBroken)
      if (next !== undefined) await other.release(next, { notes: [], dueInMs: undefined, restMs: 0 })
      now += 5
      expect((await other.claimPolls(10, leaseMs)).polls).toMatchObject([
        { resourceId: 'pa_req_1', snapshot: { broken: expect.any(String) } },
      ])
      await other.close()
    })

    it('scopes an effect to its handler and resource', async () => {
      await ledger.accept(delivery())
      await ledger.recordEffect('pa_req_1', 'h', 'greet')
      await ledger.recordEffect('pa_req_1', 'h', 'greet')
      expect(await ledger.effect('pa_req_1', 'h', 'greet')).toBeDefined()
      expect(await ledger.effect('pa_req_1', 'other', 'greet')).toBeUndefined()
    })

    it('keeps the first result of an effect', async () => {
      await ledger.accept(delivery())
      await ledger.recordEffect('pa_req_1', 'h', 'invoice', '{"id":"inv-1"}')
      await ledger.recordEffect('pa_req_1', 'h', 'invoice', '{"id":"inv-2"}')
      expect(readDocument((await ledger.effect('pa_req_1', 'h', 'invoice'))?.document)).toEqual({ id: 'inv-1' })
    })

    it('keeps the begin of an effect until it is done or certainly did not happen', async () => {
      await ledger.accept(delivery())
      const begin = () => ledger.beginEffect('pa_req_1', 'h', 'greet')
      expect([await begin(), await begin()]).toEqual([{ mayHaveRun: false }, { mayHaveRun: true }])
      expect(await ledger.beginEffect('pa_req_1', 'other', 'greet')).toEqual({ mayHaveRun: false })
      expect(await ledger.effect('pa_req_1', 'h', 'greet')).toBeUndefined()
      await ledger.forgetBegun('pa_req_1', 'h', 'greet')
      expect(await begin()).toEqual({ mayHaveRun: false })
      await ledger.recordEffect('pa_req_1', 'h', 'greet')
      expect(await ledger.effect('pa_req_1', 'h', 'greet')).toBeDefined()
    })

    it('keeps the newest memory of each system, resource and role', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      expect((await ledger.readMemory('ehr', 'pa_req_1')).size).toBe(0)
      await ledger.writeMemory(claim, 'ehr', 'task', { id: '7', version: '1', digest: 'a' })
      await ledger.writeMemory(claim, 'ehr', 'task', { id: '7', version: '2' })
      await ledger.writeMemory(claim, 'ehr', 'document', { id: '8' })
      const remembered = { id: '7', version: '2', digest: undefined }
      expect((await ledger.readMemory('ehr', 'pa_req_1')).get('task')).toEqual(remembered)
      expect((await ledger.readMemory('billing', 'pa_req_1')).size).toBe(0)
      expect((await ledger.readMemory('ehr', 'pa_req_2')).size).toBe(0)
      const stranger = { ...claim, owner: 'somebody else' }
      await expect(ledger.writeMemory(stranger, 'ehr', 'task', { id: '9' })).rejects.toThrow(ClaimLost)
      expect((await ledger.readMemory('ehr', 'pa_req_1')).get('task')).toEqual(remembered)
      const note = (role: string, id: string) => ({ of: 'memory' as const, system: 'ehr', role, remembered: { id } })
      await ledger.release(claim, {
        notes: [note('task', '8'), note('task', '9'), note('new', '1')],
        restMs: 0,
        dueInMs: 0,
      })
      const roles = [...(await ledger.readMemory('ehr', 'pa_req_1'))].map(([role, { id }]) => `${role} ${id}`)
      expect(roles.toSorted()).toEqual(['document 8', 'new 1', 'task 9'])
      const { memory } = await claimed()
      expect([...memory]).toEqual([['ehr', await ledger.readMemory('ehr', 'pa_req_1')]])
    })

    it('forgets a memory at once, and only under the claim', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      for (const role of ['case', 'note']) await ledger.writeMemory(claim, 'desk', role, { id: role })
      const stranger = { ...claim, owner: 'somebody else' }
      await expect(ledger.writeMemory(stranger, 'desk', 'case', undefined)).rejects.toThrow(ClaimLost)
      await ledger.writeMemory(claim, 'desk', 'case', undefined)
      await ledger.writeMemory(claim, 'desk', 'never written', undefined)
      expect([...(await ledger.readMemory('desk', 'pa_req_1')).keys()]).toEqual(['note'])
      await ledger.writeMemory(claim, 'desk', 'note', undefined)
      expect((await ledger.readMemory('desk', 'pa_req_1')).size).toBe(0)
      await ledger.takeShared(claim, 'desk', 'patient')
      for (const what of [{ id: '1' }, undefined])
        await ledger.writeMemory(claim, 'desk', 'patient', what, { isShared: true })
      expect(await ledger.takeShared(claim, 'desk', 'patient')).toEqual({ remembered: undefined })
    })

    it('finds the newest memory of a handler under a role, for any resource, until that one is erased', async () => {
      const write = async (resourceId: string, id: string, system = 'handler:cards') => {
        await ledger.accept(delivery({ resourceId, body: Buffer.from(id) }))
        const claim = await claimed(resourceId)
        await ledger.writeMemory(claim, system, 'case', { id })
        await ledger.release(claim, { notes: [], dueInMs: undefined, restMs: 0 })
        now += 1
      }
      expect(await ledger.newestMemory('handler:cards', 'case')).toBeUndefined()
      await write('pa_req_2', 'card-2')
      await write('pa_req_1', 'card-1')
      await write('pa_req_3', 'card-3', 'handler:other')
      await write('pa_req_3', 'card-4', 'board')
      expect(await ledger.newestMemory('handler:cards', 'case')).toEqual({ id: 'card-1' })
      expect(await ledger.newestMemory('handler:cards', 'another')).toBeUndefined()
      await write('pa_req_2', 'card-5')
      expect(await ledger.newestMemory('handler:cards', 'case')).toEqual({ id: 'card-5' })
      await ledger.erase('pa_req_2', 'patient-1', { actor: { name: 'maria', via: 'admin' } })
      expect(await ledger.newestMemory('handler:cards', 'case')).toEqual({ id: 'card-1' })
    })

    it('grants a shared memory to one resource at a time', async () => {
      await ledger.accept(delivery({ resourceId: 'bv_1' }))
      await ledger.accept(delivery({ resourceId: 'bv_2' }))
      const first = await claimed('bv_1')
      const second = await claimed('bv_2')
      const take = (claim: ClaimToken) => ledger.takeShared(claim, 'ehr', 'Coverage 1')
      expect(await take(first)).toEqual({ remembered: undefined })
      expect(await take(second)).toBe('taken')
      expect(await ledger.takeShared(second, 'ehr', 'Coverage 2')).toEqual({ remembered: undefined })
      await ledger.writeMemory(first, 'ehr', 'Coverage 1', { id: '7', digest: 'a' }, { isShared: true })
      expect(await take(first)).toEqual({ remembered: { id: '7', version: undefined, digest: 'a' } })
      const note = { of: 'memory' as const, system: 'ehr', role: 'Coverage 1', remembered: { id: '8' }, isShared: true }
      await ledger.release(first, { notes: [note], restMs: 0, dueInMs: undefined })
      const written = { remembered: { id: '8', version: undefined, digest: undefined } }
      expect(await take(second)).toEqual(written)
      await expect(take(first)).rejects.toThrow(ClaimLost)
      // A process that dies without giving it back has it no longer than the resource.
      await ledger.accept(delivery({ resourceId: 'bv_3' }))
      now += leaseMs + 1
      expect(await take(await claimed('bv_3'))).toEqual(written)
    })

    it('wakes parked work at its retry time, parked since the first time until it succeeds', async () => {
      await ledger.accept(delivery())
      const park = async () => {
        const claim = await claimed()
        await fail(claim, { attempts: 1, delayMs: undefined, parkedAgainMs: 1_000 })
        await release(claim)
      }
      await park()
      expect(await ledger.wakeParked(10)).toEqual([])
      expect(await ledger.due(10)).toEqual([])
      now += 1_000
      expect(await ledger.wakeParked(10)).toEqual(['pa_req_1'])
      expect(await ledger.wakeParked(10)).toEqual([])
      expect(await ledger.counts()).toMatchObject({ parked: 1, due: 1, oldestParkedMs: 1_000 })
      await park()
      expect(await ledger.counts()).toMatchObject({ parked: 1, due: 0, oldestParkedMs: 1_000 })
    })

    it('lists the skipped writes of each resource until their records are deleted', async () => {
      for (const resourceId of ['pa_req_1', 'pa_req_2']) {
        await ledger.accept(delivery({ resourceId }))
        const claim = await claimed(resourceId)
        const leftOut = ['Task', '*', 'Task'].map((type) => ({ system: 'ehr', type, reason: 'it takes nothing' }))
        await ledger.record(claim, [{ of: 'success', run: { ...run('h', claim.newestEventId), leftOut } }])
      }
      expect(await ledger.leftOut()).toEqual([{ system: 'ehr', count: 2, reason: 'it takes nothing' }])
      const find = (types: string[], after = '') => ledger.findLeftOut({ system: 'ehr', types, after }, 1)
      expect(await find(['DocumentReference'])).toEqual([])
      expect(await find(['Task', 'DocumentReference'])).toEqual(['pa_req_1'])
      expect(await find(['Task'], 'pa_req_1')).toEqual(['pa_req_2'])
      const act = { actor: { name: 'maria', via: 'admin' as const } }
      await ledger.forgetLeftOut({ system: 'ehr', types: ['Task'], resourceIds: ['pa_req_1'] }, act)
      expect(await find(['Task'])).toEqual(['pa_req_2'])
      expect(await ledger.leftOut()).toMatchObject([{ count: 1 }])
      const [entry] = await ledger.readAudit({ action: 'work.backfill' }, 10)
      expect(entry).toMatchObject({ actor: { name: 'maria' }, details: { types: ['Task'], resources: ['pa_req_1'] } })
    })

    it('lists the files that a system could not hold, the newest first, and nothing else that was left out', async () => {
      for (const [resourceId, ...types] of [
        ['pa_req_1', 'Task', 'file/letter'],
        ['pa_req_2', 'file/fax_received'],
      ] as const) {
        await ledger.accept(delivery({ resourceId }))
        const claim = await claimed(resourceId)
        const leftOut = types.map((type) => ({ system: 'ehr', type, reason: 'not of this type' }))
        await ledger.record(claim, [{ of: 'success', run: { ...run('h', claim.newestEventId), leftOut } }])
        now += 1_000
      }
      const files = await ledger.leftOutFiles(0, 10)
      expect(files.map(({ id, file, system }) => [id, file, system])).toEqual([
        ['pa_req_2', 'fax_received', 'ehr'],
        ['pa_req_1', 'letter', 'ehr'],
      ])
      expect(await ledger.leftOutFiles(0, 1)).toEqual(files.slice(0, 1))
      expect(await ledger.leftOutFiles((files[0]?.since ?? 0) + 1, 10)).toEqual([])
    })

    it('lists a file no more that a person saw to, even if it is left out again, and records who', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      const leave = (...types: string[]) => {
        const leftOut = types.map((type) => ({ system: 'ehr', type, reason: 'too large' }))
        return ledger.record(claim, [{ of: 'success', run: { ...run('h', claim.newestEventId), leftOut } }])
      }
      await leave('file/letter/1', 'file/letter/2')
      const done = { id: 'pa_req_1', system: 'ehr', file: 'letter/1' }
      expect(await ledger.endLeftOutFile(done, act)).toBe(true)
      await leave('file/letter/1', 'file/letter/2')
      expect((await ledger.leftOutFiles(0, 10)).map(({ file }) => file)).toEqual(['letter/2'])
      for (const wrong of [done, { ...done, id: 'pa_req_2' }, { ...done, system: 'other', file: 'letter/2' }])
        expect(await ledger.endLeftOutFile(wrong, act)).toBe(false)
      const trail = await ledger.readAudit({ action: 'file.done' }, 10)
      expect(trail).toMatchObject([{ resourceId: 'pa_req_1', details: { system: 'ehr', file: 'letter/1' } }])
    })

    it('gives the turn at a task to one process, again after its rest, and not once it is done', async () => {
      const turn = (dueAt: number, restMs = 100) => ledger.takeTurn('digest', { dueAt, restMs })
      const dueAt = now - 10
      expect((await Promise.all([turn(dueAt), turn(dueAt)])).toSorted()).toEqual(['resting', 'taken'])
      now += 100
      expect([await turn(dueAt), await turn(dueAt)]).toEqual(['taken', 'resting'])
      await ledger.endTurn('digest', dueAt)
      now += 100
      expect([await turn(dueAt), await turn(dueAt - 5)]).toEqual(['done', 'done'])
      expect([await turn(now), await turn(now)]).toEqual(['taken', 'resting'])
      await ledger.endTurn('digest', now)
      // A clock that is set back holds up no later turn.
      now -= 90_000_000
      expect(await turn(now)).toBe('taken')
    })

    it('forgets the memory of a patient in a system, by id or by number', async () => {
      for (const [resourceId, id] of [
        ['pa_req_1', '7'],
        ['pa_req_2', '7'],
        ['pa_req_3', '8'],
      ] as const) {
        await ledger.accept(delivery({ resourceId }))
        const claim = await claimed(resourceId)
        await ledger.writeMemory(claim, 'ehr', 'Patient', { id })
        await ledger.writeMemory(claim, 'ehr', 'Task', { id })
      }
      const act = { actor: { name: 'maria', via: 'admin' as const } }
      const forget = (value: string) => ledger.forgetMemory({ system: 'ehr', role: 'Patient', value }, act)
      expect(await forget('9')).toEqual([])
      expect((await forget('7')).toSorted()).toEqual(['pa_req_1', 'pa_req_2'])
      const roles = async (id: string) => [...(await ledger.readMemory('ehr', id)).keys()]
      expect(await Promise.all(['pa_req_1', 'pa_req_3'].map(roles))).toEqual([['Task'], ['Patient', 'Task']])
      const [entry] = await ledger.readAudit({ action: 'memory.forget' }, 10)
      expect(entry).toMatchObject({ details: { count: 2, role: 'Patient' } })
    })

    it('drops the digest of a notice that was told, and keeps its number', async () => {
      for (const resourceId of ['pa_req_1', 'pa_req_2']) await ledger.accept(delivery({ resourceId }))
      await ledger.writeMemory(await claimed(), 'pharmacy', 'sent', { id: '7', version: '5', digest: 'd' })
      const told = { resourceIds: ['pa_req_1', 'pa_req_2', 'pa_req_9'], roles: [{ system: 'pharmacy', role: 'sent' }] }
      expect(await ledger.forgetDigests(told, act)).toEqual(['pa_req_1'])
      expect(await ledger.readMemory('pharmacy', 'pa_req_1')).toEqual(new Map([['sent', { id: '7', version: '5' }]]))
      const [entry] = await ledger.readAudit({ action: 'notice.resend' }, 10)
      expect(entry).toMatchObject({ details: { systems: ['pharmacy'], count: 1, resources: ['pa_req_1'] } })
    })

    it('amends how systems write one resource, also under a claim, until it is as usual again', async () => {
      for (const resourceId of ['pa_req_1', 'pa_req_2']) await ledger.accept(delivery({ resourceId }))
      const claim = await claimed()
      await ledger.writeMemory(claim, 'ehr', 'task', { id: '7' })
      const amendment = { without: ['Task.owner'], document_type: 'urn:x|1' }
      await ledger.amend({ resourceId: 'pa_req_1', systems: ['ehr'], amendment }, act)
      const remembered = { id: '8' }
      const note = { of: 'memory' as const, system: 'ehr', role: 'task', remembered }
      await ledger.release(claim, { notes: [note], restMs: 0, dueInMs: 0 })
      const { memory } = await claimed()
      expect(amendmentIn(memory.get('ehr')?.get(amendmentRole))).toEqual(amendment)
      expect(memory.get('ehr')?.get('task')).toMatchObject(remembered)
      expect((await ledger.readMemory('ehr', 'pa_req_2')).size).toBe(0)
      const [entry] = await ledger.readAudit({ action: 'work.amend' }, 10)
      expect(entry).toMatchObject({ resourceId: 'pa_req_1', details: { systems: ['ehr'], ...amendment } })
      await ledger.amend({ resourceId: 'pa_req_1', systems: ['ehr'], amendment: { without: [] } }, act)
      expect([...(await ledger.readMemory('ehr', 'pa_req_1')).keys()]).toEqual(['task'])
    })

    it('returns the last run of each handler', async () => {
      expect(await ledger.lastRuns()).toEqual([])
      await ledger.accept(delivery())
      const claim = await claimed()
      await fail(claim, { attempts: 1, delayMs: 5 })
      await succeed(claim)
      await ledger.record(claim, [{ of: 'success', run: run('g', claim.newestEventId) }])
      await fail(claim, { attempts: 1, delayMs: undefined })
      now += 70
      expect(await ledger.lastRuns()).toEqual([
        { handler: 'g', result: 'succeeded', agoMs: 70 },
        { handler: 'h', result: 'parked', agoMs: 70 },
      ])
    })

    describe('requests started from prescriptions', () => {
      const key = { prescription: 'MedicationRequest/1', kind: 'prior_authorization' } as const
      const begin = { ...act, again: false, patient: 'KANARI-4711', isNumberGiven: false }

      it('begin once for each prescription and kind, also after a restart', async () => {
        expect(await Promise.all([ledger.beginStart(key, begin), ledger.beginStart(key, begin)])).toEqual(
          expect.arrayContaining([undefined, { begunAt: now, resourceId: undefined }]),
        )
        expect(await ledger.beginStart({ ...key, kind: 'benefit_verification' }, begin)).toBeUndefined()
        await ledger.endStart(key, 'pa_req_1')
        await ledger.close()
        ledger = await stand.open({ clock, seal })
        expect(await ledger.readStart(key)).toEqual({ begunAt: now, resourceId: 'pa_req_1' })
        expect(await ledger.beginStart(key, { ...begin, again: true })).toMatchObject({ resourceId: 'pa_req_1' })
      })

      it('begin anew after a certain failure, or on request while the answer is unknown, each in the audit trail', async () => {
        await ledger.beginStart(key, begin)
        await ledger.forgetStart(key)
        expect(await ledger.readStart(key)).toBeUndefined()
        await ledger.beginStart(key, begin)
        expect(await ledger.beginStart(key, { ...begin, again: true })).toBeUndefined()
        await ledger.endStart(key, 'pa_req_1')
        await ledger.forgetStart(key)
        expect(await ledger.readStart(key)).toMatchObject({ resourceId: 'pa_req_1' })
        const details = (await ledger.readAudit({ action: 'request.start' }, 10)).map((each) => each.details)
        expect(details).toMatchObject([false, false, true].map((again) => ({ ...key, again })))
      })
    })

    it('passes the own changes of the last day to a claim, the first note of each', async () => {
      const { eventId } = await ledger.accept(delivery())
      expect(await ledger.noteOwnChange('pa_req_1', { name: 'cancel' })).toBe(true)
      expect(await ledger.noteOwnChange('pa_req_1', { name: 'change_pharmacy', value: '0123456' })).toBe(true)
      const other = await ledger.accept(delivery({ text: '{"a":2}' }))
      expect(await ledger.noteOwnChange('pa_req_1', { name: 'cancel' })).toBe(false)
      expect(await ledger.noteOwnChange('pa_req_1', { name: 'change_pharmacy', value: '7654321' })).toBe(true)
      const claim = await claimed()
      expect(claim.ownChanges).toEqual([
        { name: 'cancel', afterEventId: eventId, at: now },
        { name: 'change_pharmacy', value: '7654321', afterEventId: other.eventId, at: now },
      ])
      await release(claim, 0)
      now += 86_400_000
      await ledger.followClock(leaseMs)
      expect((await claimed()).ownChanges).toEqual([])
    })

    it('forgets a change that was not carried out, and records none for an unknown resource', async () => {
      await ledger.accept(delivery())
      await ledger.noteOwnChange('pa_req_1', { name: 'change_pharmacy', value: '0123456' })
      await ledger.forgetOwnChange('pa_req_1', { name: 'change_pharmacy', value: '7654321' })
      await ledger.noteOwnChange('pa_req_1', { name: 'cancel' })
      await ledger.forgetOwnChange('pa_req_1', { name: 'cancel' })
      expect((await claimed()).ownChanges).toMatchObject([{ name: 'change_pharmacy', value: '0123456' }])
      expect(await ledger.noteOwnChange('pa_req_2', { name: 'cancel' })).toBe(false)
    })

    it('offers idle resources for polling once they are due', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      await save(claim, { v: 1 }, 10)
      await release(claim)
      expect(await polls()).toEqual([])
      expect(await ledger.nextPollIn()).toBe(10)
      now += 10
      const [poll] = await polls()
      expect(poll).toMatchObject({ resourceId: 'pa_req_1', snapshot: { text: '{"v":1}' } })
      if (poll !== undefined) await ledger.recordPoll(poll, { of: 'unchanged', pollInMs: undefined })
      expect(await ledger.nextPollIn()).toBeUndefined()
    })

    it('offers a resource known from any event alone for polling, unless it has no GET', async () => {
      await ledger.accept(delivery({ eventType: 'prior_authorization.activity_log_updated' }))
      await ledger.accept(delivery({ resourceId: 'prov_outreach_1', kind: 'provider_outreach' }))
      for (const id of ['pa_req_1', 'prov_outreach_1']) await release(await claimed(id))
      expect(await polls()).toMatchObject([{ resourceId: 'pa_req_1', snapshot: undefined }])
    })

    it('offers each poll to one process until its hold ends', async () => {
      for (let n = 0; n < 30; n += 1) {
        await ledger.accept(delivery({ resourceId: `pa_req_${n}` }))
        await release(await claimed(`pa_req_${n}`))
      }
      const other = await stand.open({ clock, seal })
      const batches = await Promise.all([ledger, other, ledger, other].map((l) => l.claimPolls(20, 500)))
      const taken = batches.flatMap((batch) => batch.polls.map(({ resourceId }) => resourceId))
      expect(new Set(taken).size).toBe(taken.length)
      while ((await other.claimPolls(20, 500)).polls.length > 0);
      expect(await polls()).toEqual([])
      now += 500
      expect(await polls()).toHaveLength(10)
      await other.close()
    })

    it('stores a poll result together with its event, unless a newer event arrived', async () => {
      await ledger.accept(delivery())
      await release(await claimed())
      const [poll] = await polls()
      if (poll === undefined) throw new Error('there is a poll')
      const found = (text: string) =>
        ledger.recordPoll(poll, {
          of: 'changed',
          snapshot: { of: 'snapshot', pollInMs: 7, text, terminal: true },
          event: delivery({ text, source: 'poll' }),
        })
      expect((await found('{"v":1}'))?.traceId).toMatch(/^[0-9a-f]{32}$/)
      expect(await found('{"v":2}')).toBeUndefined()
      const claim = await claimed()
      expect(readDocument(claim.snapshot?.document)).toEqual({ v: 1 })
      expect(claim).toMatchObject({ terminal: true, snapshot: { eventId: claim.newestEventId } })
      expect(claim.events.map(({ source }) => source)).toEqual(['webhook', 'poll'])
      expect(await ledger.resource('pa_req_1')).toMatchObject({ events: 2, reads: 1 })
    })

    it('passes the newest webhook to a poll while it is fresh', async () => {
      const webhook = async () => (await polls())[0]?.webhook
      await ledger.accept(delivery({ text: '{"n":1}' }))
      await ledger.accept(delivery({ text: '{"n":2}', source: 'cli' }))
      await release(await claimed())
      const fresh = await webhook()
      expect([readDocument(fresh?.body), fresh?.ageMs]).toEqual([{ n: 1 }, 0])
      now += 3_600_000
      await ledger.followClock(leaseMs)
      expect(await webhook()).toBeUndefined()
    })

    it('counts requested polls until they are read, and reports unreadable resources', async () => {
      for (const id of ['pa_req_1', 'pa_req_2']) {
        await ledger.accept(delivery({ resourceId: id }))
        const claim = await claimed(id)
        await save(claim, {}, 900)
        await release(claim)
      }
      const counts = async () => {
        const { toPoll, unreadable } = await ledger.counts()
        return { toPoll, unreadable }
      }
      expect(await ledger.pollSoon(0)).toBe(2)
      const [one, other] = await polls()
      if (one === undefined || other === undefined) throw new Error('there are two')
      expect(await counts()).toEqual({ toPoll: 2, unreadable: 0 })
      await ledger.recordPoll(one, { of: 'unchanged', pollInMs: 900 })
      await ledger.recordPoll(other, { of: 'failed', pollInMs: 5 })
      expect(await counts()).toEqual({ toPoll: 0, unreadable: 1 })
      now += 5
      const [again] = await polls()
      if (again !== undefined) await ledger.recordPoll(again, { of: 'unchanged', pollInMs: 900 })
      expect(await counts()).toEqual({ toPoll: 0, unreadable: 0 })
    })

    it('schedules polls for unsettled resources, and for recently heard ones even if terminal', async () => {
      const settle = async (id: string, terminal: boolean, pollInMs?: number) => {
        await ledger.accept(delivery({ resourceId: id, text: JSON.stringify({ id, now }) }))
        const claim = await claimed(id)
        const notes: Note[] = [{ ...snapshotOf(claim, { id }), terminal, pollInMs }, successOf(claim)]
        await ledger.release(claim, { notes, dueInMs: undefined, restMs: 0 })
      }
      for (const id of ['ended before', 'ended before, heard of since']) await settle(id, true)
      await settle('ended, its transfer not', true, 900)
      await settle('goes on', false)
      now += 10
      const since = now
      await settle('ended since', true)
      await settle('ended before, heard of since', true)
      now += 10
      expect(await polls()).toEqual([])
      expect(await ledger.pollSoon(since)).toBe(4)
      const polled = (await polls()).map(({ resourceId }) => resourceId)
      expect(polled.toSorted()).toEqual([
        'ended before, heard of since',
        'ended since',
        'ended, its transfer not',
        'goes on',
      ])
    })

    it('stores a delivery amid scheduling polls for all resources', async () => {
      await Promise.all(Array.from({ length: 450 }, (_, n) => ledger.accept(delivery({ resourceId: `pa_req_${n}` }))))
      const order: string[] = []
      const all = ledger.pollSoon(0).then((count) => order.push(`${count} polled soon`))
      await ledger.accept(delivery({ text: 'late' })).then(() => order.push('stored'))
      await all
      expect(order).toEqual(['stored', '450 polled soon'])
    })

    describe('cancelling requested polls', () => {
      const settle = async (id: string, pollInMs: number | undefined) => {
        await ledger.accept(delivery({ resourceId: id }))
        const claim = await claimed(id)
        const note: Note = { ...snapshotOf(claim, {}), terminal: pollInMs === undefined, pollInMs }
        await ledger.release(claim, { notes: [note, successOf(claim)], dueInMs: undefined, restMs: 0 })
      }
      const counts = async () => {
        const { toPoll, reconciling, reconcileCancelled } = await ledger.counts()
        return { toPoll, reconciling, reconcileCancelled }
      }

      it('returns each resource to its own poll time, even one requested twice', async () => {
        await settle('soon', 90)
        await settle('later', 500)
        await settle('ended', undefined)
        expect(await ledger.pollSoon(0)).toBe(3)
        now += 1
        expect(await ledger.pollSoon(0)).toBe(3)
        expect(await ledger.cancelPolls()).toBe(3)
        expect(await counts()).toEqual({ toPoll: 0, reconciling: 0, reconcileCancelled: true })
        expect(await ledger.nextPollIn()).toBe(89)
        now += 89
        const [soon, ...others] = await polls()
        if (soon === undefined) throw new Error('one is due')
        expect([soon.resourceId, others]).toEqual(['soon', []])
        await ledger.recordPoll(soon, { of: 'unchanged', pollInMs: undefined })
        expect(await ledger.nextPollIn()).toBe(410)
        now += 410
        expect(await polls()).toMatchObject([{ resourceId: 'later' }])
        expect(await ledger.cancelPolls()).toBe(0)
      })

      it('leaves a poll in progress alone', async () => {
        await settle('one', 90)
        await settle('other', 90)
        await ledger.pollSoon(0)
        const [reading] = (await ledger.claimPolls(1, 60_000)).polls
        if (reading === undefined) throw new Error('one is due')
        expect(await ledger.cancelPolls()).toBe(1)
        expect(await counts()).toEqual({ toPoll: 1, reconciling: 1, reconcileCancelled: true })
        await ledger.recordPoll(reading, { of: 'unchanged', pollInMs: 900 })
        expect(await counts()).toEqual({ toPoll: 0, reconciling: 0, reconcileCancelled: true })
        await ledger.pollSoon(0)
        expect(await counts()).toEqual({ toPoll: 2, reconciling: 2, reconcileCancelled: false })
      })

      it('stops a request that still goes through the resources', async () => {
        await Promise.all(Array.from({ length: 450 }, (_, n) => ledger.accept(delivery({ resourceId: `pa_req_${n}` }))))
        const all = ledger.pollSoon(0)
        await ledger.cancelPolls()
        expect(await all).toBeLessThan(450)
        expect((await counts()).reconciling).toBe(0)
        expect(await polls()).toEqual([])
      })
    })

    it('schedules no poll for resources without a GET', async () => {
      await ledger.accept(delivery({ kind: 'provider_outreach' }))
      await release(await claimed())
      expect(await ledger.pollSoon(0)).toBe(0)
      expect(await polls()).toEqual([])
    })

    it('purges old events in steps, but no parked, due or young work, progress or effect', async () => {
      const keepMs = 1_000_000
      const old = 1_200
      const work = async (id: string, note: (claim: Claim) => Note = successOf) => {
        const claim = await claimed(id)
        const notes: Note[] = [{ ...snapshotOf(claim, { id }), terminal: true, pollInMs: undefined }, note(claim)]
        await ledger.release(claim, { notes, dueInMs: undefined, restMs: 0 })
      }
      for (const id of ['done', 'parked', 'due']) await ledger.accept(delivery({ resourceId: id }))
      await work('done')
      await ledger.recordEffect('done', 'h', 'greet')
      const error = { code: 'ehr_write_failed', message: 'refused' }
      const parked = ({ newestEventId }: Claim): Note => ({
        of: 'failure',
        run: { ...run('h', newestEventId), error, attempts: 15, delayMs: undefined },
      })
      await work('parked', parked)
      // More than one step looks at.
      await Promise.all(
        Array.from({ length: old }, (_, n) =>
          ledger.accept(delivery({ resourceId: undefined, kind: undefined, eventType: 'something.new', text: `${n}` })),
        ),
      )
      now += keepMs + 1
      // To the ledger, a clock that was set.
      await ledger.followClock(leaseMs)
      await ledger.accept(delivery({ resourceId: 'young' }))
      await work('young')

      const cursors: number[] = []
      let deleted = 0
      for (let cursor: number | undefined = 0; cursor !== undefined;) {
        cursors.push(cursor)
        expect(cursors.length, `ends: ${cursors.join()}`).toBeLessThan(10)
        const step: Awaited<ReturnType<Upkeep['purge']>> = await ledger.purge(
          { keepMs, parkedKeepMs: 10 * keepMs, reportKeepMs: 10 * keepMs },
          cursor,
        )
        deleted += step.deliveries
        cursor = step.cursor
      }
      expect(cursors.length).toBeGreaterThan(2)
      expect(cursors).toEqual(cursors.toSorted((a, b) => a - b))
      expect(deleted).toBe(old + 1)
      expect((await ledger.counts()).events).toBe(3)
      const left = async (id: string) => (await ledger.bodies(id)).length
      expect([await left('done'), await left('parked'), await left('due'), await left('young')]).toEqual([0, 1, 1, 1])
      expect(await ledger.purge({ keepMs, parkedKeepMs: 10 * keepMs, reportKeepMs: 10 * keepMs }, 0)).toMatchObject({
        deliveries: 0,
        snapshots: 0,
        cursor: undefined,
      })

      expect(await ledger.effect('done', 'h', 'greet')).toBeDefined()
      const progressOf = async (id: string) => (await ledger.resource(id))?.progress
      expect(await progressOf('done')).toMatchObject([{ handler: 'h', state: 'synced' }])
      expect(await progressOf('parked')).toMatchObject([{ handler: 'h', state: 'parked' }])
      // It arrives again: what it looked like is forgotten, that it was handled is not.
      await ledger.accept(delivery({ resourceId: 'done' }))
      // The clock of the test stood still all the while.
      await ledger.followClock(leaseMs)
      const again = await claimed('done')
      expect(again.snapshot).toBeUndefined()
      expect(again.progress.get('h')).toMatchObject({ state: 'synced', baseline: undefined })
      await ledger.retryWork({}, act)
      expect((await claimed('parked')).snapshot).toBeDefined()
      expect(await ledger.due(10)).toEqual(['due'])
    })

    it('counts in a dry run exactly the later deletions by kind, and records who asked', async () => {
      const keep = { keepMs: 1_000, parkedKeepMs: 2_000, reportKeepMs: 3_000 }
      const outcome = { course: { status: 'x' }, groups: {} }
      const facts = { readAt: now, changes: [{ field: 'status', to: 'x' }], identifiers: [], outcome }
      const work = async (id: string, handler: string, { isParked = false } = {}) => {
        const claim = await claimed(id)
        const made = run(handler, claim.newestEventId)
        const failure = { ...made, error: { code: 'no', message: 'no' }, attempts: 1, delayMs: undefined }
        const snapshot: Note = { ...snapshotOf(claim, { id, now }), pollInMs: undefined, facts }
        const note: Note = isParked ? { of: 'failure', run: failure } : { of: 'success', run: made }
        if (id === 'done') await ledger.publish(claim, { id: 'msg_1', reader: '1234567', text: '{}' })
        await ledger.release(claim, { notes: [snapshot, note], dueInMs: undefined, restMs: 0 })
      }
      for (const id of ['done', 'alive', 'parked', 'due']) await ledger.accept(delivery({ resourceId: id }))
      await work('done', 'h')
      await work('alive', 'h')
      await work('parked', 'h', { isParked: true })
      for (const id of ['done', 'alive']) await ledger.recordEffect(id, 'h', 'greet', '"hello"')
      now += 100 * 86_400_000
      await ledger.followClock(leaseMs)
      await ledger.accept(delivery({ resourceId: 'alive', text: 'again' }))
      await work('alive', 'other')

      const whole = async (how: Parameters<Upkeep['purge']>[2]) => {
        const sums: Record<string, number> = {}
        for (let cursor: number | undefined = 0, isFirst = true; cursor !== undefined; isFirst = false) {
          const asked = isFirst ? how : { ...how, act: undefined }
          const { cursor: next, looked: _, ...step }: PurgeStep = await ledger.purge(keep, cursor, asked)
          for (const [kind, count] of Object.entries(step)) sums[kind] = (sums[kind] ?? 0) + count
          cursor = next
        }
        return sums
      }
      const expected = {
        deliveries: 2,
        dueBodies: 1,
        parkedBodies: 1,
        snapshots: 2,
        baselines: 1,
        effects: 1,
        notices: 1,
        outcomes: 3,
      }
      await ledger.catchUp()
      expect(await whole({ dryRun: true })).toEqual(expected)
      expect(await ledger.readAudit({ action: 'ledger.purge' }, 10)).toEqual([])
      expect(await whole({ act })).toEqual(expected)
      expect(Object.values(await whole({ dryRun: true })).filter((count) => count > 0)).toEqual([])
      expect(await ledger.readAudit({ action: 'ledger.purge' }, 10)).toMatchObject([act])
    })

    it('shares an outage with every process until the system is back or its time is over', async () => {
      const other = await stand.open({ clock, seal })
      // As clocks that count from some moment measure: whole milliseconds are kept.
      await ledger.noteOutage('ehr', 499.3)
      await ledger.noteOutage('pharmacy', 99.5)
      now += 100
      expect(await other.outages()).toEqual([{ system: 'ehr', remainingMs: 400 }])
      await other.noteOutage('ehr', undefined)
      expect(await ledger.outages()).toEqual([])
      await other.close()
    })

    describe('keeps a pharmacy feed', () => {
      const corner = { name: 'corner', ncpdpIds: ['1111111', '1111112'] }
      const chain = { name: 'chain', ncpdpIds: ['2222222'] }
      const notice = (id: string, reader = '1111111') => ({ id, reader, text: JSON.stringify({ id, of: 'Canary' }) })
      const feed = (from: Ledger, after = 0, reader = corner, limit = 500) =>
        from.feed({ readers: reader.ncpdpIds, after, limit })
      const idsOf = (page: Awaited<ReturnType<typeof feed>>) =>
        typeof page === 'string' ? page : page.notices.map(({ id }) => id)
      const keep = { keepMs: 1_000, parkedKeepMs: 1_000, reportKeepMs: 1_000 }
      const purge = async () => {
        for (let cursor: number | undefined = 0; cursor !== undefined;) ({ cursor } = await ledger.purge(keep, cursor))
      }

      it('in one order, each notice once, only for its reader, page by page', async () => {
        await ledger.accept(delivery())
        const claim = await claimed()
        for (const each of [notice('a'), notice('other', '2222222'), notice('b', '1111112'), notice('a'), notice('c')])
          await ledger.publish(claim, each)
        const first = await feed(ledger, 0, corner, 2)
        expect(first).toMatchObject({
          notices: [
            { id: 'a', resourceId: 'pa_req_1', text: notice('a').text },
            { id: 'b', text: notice('b').text },
          ],
          hasMore: true,
        })
        const after = typeof first === 'string' ? 0 : (first.notices.at(-1)?.sequence ?? 0)
        expect(idsOf(await feed(ledger, after, corner, 2))).toEqual(['c'])
        expect(idsOf(await feed(ledger, 0, chain))).toEqual(['other'])
        await ledger.release(claim, { notes: [], dueInMs: undefined, restMs: 0 })
        await expect(ledger.publish(claim, notice('late'))).rejects.toThrow(ClaimLost)
      })

      it('under numbers that are not behind the clock: a reader who read on before a restore misses none', async () => {
        await ledger.accept(delivery())
        const claim = await claimed()
        for (const id of ['a', 'b']) await ledger.publish(claim, notice(id))
        now += 60_000
        await ledger.publish(claim, notice('c'))
        const page = await feed(ledger)
        const numbers = typeof page === 'string' ? [] : page.notices.map(({ sequence }) => sequence)
        expect(numbers).toEqual([now - 60_000, now - 59_999, now])
      })

      it('without late numbers: none appears below a number already read, however slow a commit', async () => {
        const other = await stand.open({ clock, seal })
        for (const resourceId of ['pa_req_1', 'pa_req_2']) await ledger.accept(delivery({ resourceId }))
        const [first, second] = [await claimed(), await claimed('pa_req_2')]
        // One commit: the number of the notice is given out long before its end.
        const slow = [
          other.publish(second, notice('slow')),
          ...Array.from({ length: 120 }, () => other.audit({ ...act, action: 'audit.view' })),
        ]
        await sleep(100)
        await ledger.publish(first, notice('quick'))
        const early = idsOf(await feed(ledger))
        await Promise.all(slow)
        expect(early).toContain('quick')
        const late = idsOf(await feed(ledger))
        expect(late.slice(0, early.length)).toEqual(early)
        expect(late).toHaveLength(2)
        await other.close()
      })

      it('with a record of each read and acknowledgement', async () => {
        await ledger.accept(delivery())
        const claim = await claimed()
        for (const id of ['a', 'b', 'c']) await ledger.publish(claim, notice(id))
        now += 500
        expect(await ledger.unacknowledged(400)).toEqual([
          { reader: '1111111', count: 1, oldestAt: 1_000_000, resourceId: 'pa_req_1' },
        ])
        const page = await feed(ledger)
        if (typeof page === 'string') throw new Error(page)
        await ledger.noteFeedRead(corner, page.notices)
        expect(await ledger.acknowledge(corner, 'b')).toEqual({ at: now })
        expect(await ledger.acknowledge(chain, 'b')).toBe('unknown')
        now += 500
        expect(await ledger.acknowledge(corner, 'b')).toEqual({ at: 1_000_500 })
        expect(await ledger.history('pa_req_1', 10, {})).toMatchObject({
          notices: [
            { noticeId: 'c', reader: '1111111', readAt: 1_000_500, acknowledgedAt: undefined },
            { noticeId: 'b', acknowledgedAt: 1_000_500, acknowledgedBy: 'corner' },
            { noticeId: 'a', acknowledgedAt: 1_000_500 },
          ],
        })
        expect(await ledger.unacknowledged(2_000)).toEqual([])
        const entries = (await ledger.readAudit({}, 10)).filter(({ actor }) => actor.via === 'feed')
        expect(entries.map(({ action, actor }) => [action, actor.name, actor.via])).toEqual([
          ['feed.read', 'corner', 'feed'],
          ['feed.acknowledge', 'corner', 'feed'],
        ])
      })

      it('until notices expire or their patient is erased, and names readers that missed some', async () => {
        await ledger.accept(delivery())
        await ledger.accept(delivery({ resourceId: 'pa_req_2' }))
        const [first, second] = [await claimed(), await claimed('pa_req_2')]
        await ledger.publish(first, notice('a'))
        await ledger.publish(first, notice('b'))
        await ledger.publish(second, notice('other', '2222222'))
        now += 2_000
        await ledger.publish(second, notice('c'))
        await purge()
        expect(await feed(ledger, 1_000_000)).toBe('purged')
        expect(idsOf(await feed(ledger, 1_000_001))).toEqual(['c'])
        expect(idsOf(await feed(ledger, 0))).toEqual(['c'])
        expect(await feed(ledger, 2_000_000)).toBe('unknown')
        expect(await ledger.acknowledge(corner, 'b')).toBe('gone')
        now += 2_000
        await purge()
        expect(await feed(ledger, 1_000_001)).toBe('purged')
        expect(idsOf(await feed(ledger, 1_002_000))).toEqual([])
        await ledger.accept(delivery({ resourceId: 'pa_req_3' }))
        const third = await claimed('pa_req_3')
        await ledger.publish(third, notice('d'))
        await ledger.release(third, { notes: [], dueInMs: undefined, restMs: 0 })
        expect(await ledger.erase('pa_req_3', 'patient_1', act)).toMatchObject({ removed: { notices: 1 } })
        expect(idsOf(await feed(ledger, 1_002_000))).toEqual([])
        expect(await ledger.acknowledge(corner, 'd')).toBe('gone')
      })
    })

    it('rejects a failing write and stores the others of its commit', async () => {
      const orphan = ledger.recordEffect('pa_req_unknown', 'h', 'k')
      const neighbours = [ledger.accept(delivery({ text: '1' })), ledger.accept(delivery({ text: '2' }))]
      await expect(orphan).rejects.toThrow()
      const results = await Promise.all(neighbours)
      expect(results.map(({ duplicate }) => duplicate)).toEqual([false, false])
      expect(await ledger.resource('pa_req_1')).toMatchObject({ events: 2 })
    })
  })
}
