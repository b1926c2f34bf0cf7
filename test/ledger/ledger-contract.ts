import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Clock } from '../../src/clock.ts'
import { ClaimLost } from '../../src/ledger/claims.ts'
import type { Claim, Delivery, Ledger } from '../../src/ledger/ledger.ts'
import { createSeal, type Seal, SealBroken } from '../../src/ledger/seal.ts'
import { parseDelivery } from '../../src/receive/parse-delivery.ts'

/** What opens another connection to the same durable storage, as another process would. */
export interface LedgerStand {
  open(options: { clock: Clock; seal: Seal }): Promise<Ledger>
  destroy(): Promise<void>
}

const leaseMs = 1_000

function delivery(overrides: Partial<Delivery> & { text?: string } = {}): Delivery {
  return {
    resourceId: 'pa_req_1',
    kind: 'prior_authorization',
    eventType: 'prior_authorization.status_change',
    eventKey: undefined,
    body: Buffer.from(overrides.text ?? '{"a":1}'),
    source: 'webhook',
    ...overrides,
  }
}

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
      const claim = await ledger.claim(id, leaseMs)
      if (claim === undefined) throw new Error(`${id} could not be claimed`)
      return claim
    }
    const release = (claim: Claim, dueInMs?: number, restMs = 0) => ledger.release(claim, { dueInMs, restMs })
    const run = (handler: string, lastEventId: number) => ({
      handler,
      startedAt: now,
      finishedAt: now,
      firstEventId: lastEventId,
      lastEventId,
      writes: [{ system: 'ehr', type: 'Task', id: 't1' }],
    })

    it('counts a byte-identical copy of the newest event as a duplicate', async () => {
      const first = await ledger.accept(delivery())
      expect(first.duplicate).toBe(false)
      expect(await ledger.accept(delivery())).toEqual({ eventId: first.eventId, duplicate: true })
      expect(await ledger.resource('pa_req_1')).toMatchObject({ events: 1, repeats: 1 })
    })

    it('takes whatever text an envelope, a handler or another system may hold', async () => {
      const odd = { event_type: 'un\0known', event_id: '\0', data: { id: '\0' } }
      const accept = () => ledger.accept(parseDelivery(Buffer.from(JSON.stringify(odd))))
      const { eventId } = await accept()
      expect(await accept()).toEqual({ eventId, duplicate: true })

      const { eventId: own } = await ledger.accept(delivery())
      const claim = await claimed()
      expect(await ledger.isEffectDone('pa_req_1', 'chart', 'key\0')).toBe(false)
      await ledger.recordEffect('pa_req_1', 'chart', 'key\0')
      expect(await ledger.isEffectDone('pa_req_1', 'chart', 'key\0')).toBe(true)
      const error = { code: 'refused', message: 'not\0allowed' }
      await ledger.fail(claim, { ...run('chart', own), error, attempts: 1, delayMs: undefined })
      expect(await ledger.parked(10)).toMatchObject([{ handler: 'chart', errorCode: 'refused' }])
    })

    it('takes A, B, A as three events: the second A is a genuine return', async () => {
      const results = []
      for (const text of ['{"s":"A"}', '{"s":"B"}', '{"s":"A"}']) results.push(await ledger.accept(delivery({ text })))
      expect(results.map(({ duplicate }) => duplicate)).toEqual([false, false, false])
    })

    it('decides A, A, B, A, A rightly when all arrive in one commit', async () => {
      const texts = ['A', 'A', 'B', 'A', 'A'].map((s) => JSON.stringify({ s }))
      const results = await Promise.all(texts.map((text) => ledger.accept(delivery({ text }))))
      expect(results.map(({ duplicate }) => duplicate)).toEqual([false, true, false, false, true])
      const [a1, a1copy, b, a2, a2copy] = results.map(({ eventId }) => eventId)
      expect([a1copy, a2copy]).toEqual([a1, a2])
      expect(new Set([a1, b, a2]).size).toBe(3)
    })

    it('compares only within one type and one resource', async () => {
      await ledger.accept(delivery())
      const otherType = await ledger.accept(delivery({ eventType: 'prior_authorization.message' }))
      const otherResource = await ledger.accept(delivery({ resourceId: 'pa_req_2' }))
      expect([otherType.duplicate, otherResource.duplicate]).toEqual([false, false])
    })

    it('knows an event by its event_id, however old it is', async () => {
      const outreach = { eventType: 'prior_authorization.provider_outreach_change', kind: 'provider_outreach' } as const
      const first = await ledger.accept(delivery({ ...outreach, eventKey: 'wh_evt_1', text: '{"n":1}' }))
      await ledger.accept(delivery({ ...outreach, eventKey: 'wh_evt_2', text: '{"n":2}' }))
      const again = await ledger.accept(delivery({ ...outreach, eventKey: 'wh_evt_1', text: '{"n":1,"x":0}' }))
      expect(again).toEqual({ eventId: first.eventId, duplicate: true })
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

    it('keeps an event that no handler can follow without making anything due', async () => {
      await ledger.accept(delivery({ resourceId: undefined, kind: undefined, eventType: 'something.new' }))
      expect(await ledger.due(10)).toEqual([])
      expect(await ledger.counts()).toMatchObject({ events: 1, unhandled: 1, resources: 0 })
    })

    it('returns bodies as they came, though they are sealed at rest', async () => {
      await ledger.accept(delivery({ text: '{"name":"Testa"}' }))
      const [stored] = await ledger.bodies('pa_req_1')
      expect(Buffer.from(stored?.body ?? []).toString()).toBe('{"name":"Testa"}')
    })

    it('gives a resource to one claimant at a time', async () => {
      await ledger.accept(delivery())
      const other = await stand.open({ clock, seal })
      const claims = await Promise.all([ledger, other, ledger, other].map((l) => l.claim('pa_req_1', leaseMs)))
      await other.close()
      expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1)
      expect(await ledger.due(10)).toEqual([])
    })

    it('frees a resource when the lease ends, and the former holder can record nothing', async () => {
      await ledger.accept(delivery())
      const lost = await claimed()
      now += leaseMs
      expect(await ledger.due(10)).toEqual(['pa_req_1'])
      await claimed()
      await expect(ledger.succeed(lost, { ...run('h', lost.newestEventId), baseline: {} })).rejects.toThrow(ClaimLost)
      await expect(
        ledger.saveSnapshot(lost, { data: {}, eventId: 1 }, { terminal: false, pollInMs: undefined }),
      ).rejects.toThrow(ClaimLost)
      expect(await ledger.renew(lost, leaseMs)).toBe(false)
      expect(await release(lost)).toBeUndefined()
    })

    it('prolongs a lease that is renewed', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      now += leaseMs - 1
      expect(await ledger.renew(claim, leaseMs)).toBe(true)
      now += leaseMs - 1
      expect(await ledger.claim('pa_req_1', leaseMs)).toBeUndefined()
    })

    it('keeps a resource due when something was stored while it was in work', async () => {
      await ledger.accept(delivery({ text: '1' }))
      const claim = await claimed()
      await ledger.accept(delivery({ text: '2' }))
      expect(await release(claim)).toBe(0)
      expect(await ledger.due(10)).toEqual(['pa_req_1'])
    })

    it('rests a released resource, and says when the next one comes due', async () => {
      await ledger.accept(delivery())
      await release(await claimed(), 500)
      expect(await ledger.due(10)).toEqual([])
      expect(await ledger.nextDueIn()).toBe(500)
      now += 500
      expect(await ledger.due(10)).toEqual(['pa_req_1'])
      await release(await claimed())
      expect(await ledger.nextDueIn()).toBeUndefined()
    })

    it('lets a burst wait for the end of the rest that follows a run', async () => {
      await ledger.accept(delivery({ text: '1' }))
      const claim = await claimed()
      await ledger.accept(delivery({ text: '2' }))
      expect(await release(claim, undefined, 300)).toBe(300)
      await ledger.accept(delivery({ text: '3' }))
      expect(await ledger.claim('pa_req_1', leaseMs)).toBeUndefined()
      now += 300
      expect((await claimed()).newestEventId).toBe(3)
    })

    it('counts the end of a lease as a moment at which work comes due', async () => {
      await ledger.accept(delivery())
      await claimed()
      expect(await ledger.nextDueIn()).toBe(leaseMs)
    })

    it('remembers snapshot and baseline for the next claim', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      const data = { id: 'pa_req_1', status: 'processing', unknown_field: [1] }
      await ledger.saveSnapshot(claim, { data, eventId: claim.newestEventId }, { terminal: false, pollInMs: 5 })
      await ledger.succeed(claim, { ...run('h', claim.newestEventId), baseline: data })
      await release(claim, 0)
      const next = await claimed()
      expect(next.snapshot).toEqual({ data, eventId: claim.newestEventId })
      expect(next.progress.get('h')).toMatchObject({ state: 'in_step', baseline: data, attempts: 0 })
      expect(await ledger.resource('pa_req_1')).toMatchObject({ reads: 1, writes: 1 })
    })

    it('keeps the baseline of the last success through failures', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      await ledger.succeed(claim, { ...run('h', 1), baseline: { v: 1 } })
      const error = { code: 'ehr_write_failed', message: 'no' }
      await ledger.fail(claim, { ...run('h', 2), writes: [], error, attempts: 3, delayMs: 9 })
      await release(claim, 0)
      const progress = (await claimed()).progress.get('h')
      expect(progress).toMatchObject({ state: 'due', handledEventId: 1, triedEventId: 2, attempts: 3, dueInMs: 9 })
      expect(progress?.baseline).toEqual({ v: 1 })
    })

    it('parks with the error, and releases one by one or in bulk with all attempts before it', async () => {
      for (const id of ['pa_req_1', 'pa_req_2', 'pa_req_3']) {
        await ledger.accept(delivery({ resourceId: id }))
        const claim = await claimed(id)
        const error = { code: 'ehr_write_failed', message: 'refused' }
        await ledger.fail(claim, { ...run('h', claim.newestEventId), error, attempts: 15, delayMs: undefined })
        await release(claim)
      }
      expect(await ledger.parked(10)).toHaveLength(3)
      expect((await ledger.parked(10))[0]).toMatchObject({
        resourceId: 'pa_req_1',
        handler: 'h',
        errorCode: 'ehr_write_failed',
      })
      expect(await ledger.releaseParked({ resourceId: 'pa_req_1', handler: 'h' })).toEqual(['pa_req_1'])
      expect(await ledger.releaseParked({ handler: 'another' })).toEqual([])
      expect((await claimed()).progress.get('h')).toMatchObject({ state: 'due', attempts: 0 })
      expect((await ledger.releaseParked({})).toSorted()).toEqual(['pa_req_2', 'pa_req_3'])
      expect(await ledger.due(10)).toHaveLength(2)
    })

    it('keeps parked work due that is released while another handler of its resource is in work', async () => {
      await ledger.accept(delivery({ text: '1' }))
      const claim = await claimed()
      const error = { code: 'ehr_write_failed', message: 'refused' }
      await ledger.fail(claim, { ...run('h', claim.newestEventId), error, attempts: 15, delayMs: undefined })
      await release(claim)
      await ledger.accept(delivery({ text: '2' }))
      const next = await claimed()
      await ledger.releaseParked({})
      expect(await release(next)).toBe(0)
      expect(await ledger.due(10)).toEqual(['pa_req_1'])
    })

    it('ends every wait when the clock was set back, and lets nobody claim before', async () => {
      for (const id of ['waiting', 'resting', 'held']) await ledger.accept(delivery({ resourceId: id }))
      const waiting = await claimed('waiting')
      const error = { code: 'ehr_write_failed', message: 'no' }
      await ledger.fail(waiting, { ...run('h', waiting.newestEventId), error, attempts: 1, delayMs: 900 })
      await release(waiting, 900)
      await release(await claimed('resting'), undefined, 900)
      const held = await claimed('held')
      now -= 3_600_000
      await ledger.accept(delivery({ resourceId: 'resting', text: '2' }))
      expect(await ledger.claim('resting', leaseMs)).toBeUndefined()
      expect(await ledger.followClock(leaseMs)).toBe(true)
      expect(await ledger.followClock(leaseMs)).toBe(false)
      expect((await ledger.due(10)).toSorted()).toEqual(['resting', 'waiting'])
      expect((await claimed('waiting')).progress.get('h')?.dueInMs).toBe(0)
      expect(await ledger.renew(held, leaseMs)).toBe(true)
      now += leaseMs
      expect(await ledger.due(10)).toContain('held')
    })

    it('takes nothing from a living holder when the clock was set forth', async () => {
      await ledger.accept(delivery())
      const held = await claimed()
      now += 3_600_000
      expect(await ledger.claim('pa_req_1', leaseMs)).toBeUndefined()
      await ledger.followClock(leaseMs)
      expect(await ledger.due(10)).toEqual([])
      expect(await ledger.renew(held, leaseMs)).toBe(true)
    })

    it('notices after a start that the clock was set back while no process ran', async () => {
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

    it('fails only what asks for a document that cannot be read', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      await ledger.saveSnapshot(claim, { data: {}, eventId: 1 }, { terminal: false, pollInMs: 5 })
      await ledger.succeed(claim, { ...run('h', claim.newestEventId), baseline: {} })
      await release(claim, 0)
      const other = await stand.open({ clock, seal: createSeal([randomBytes(32)]) })
      const next = await other.claim('pa_req_1', leaseMs)
      expect(() => next?.snapshot?.data).toThrow(SealBroken)
      expect(() => next?.progress.get('h')?.baseline).toThrow(SealBroken)
      if (next !== undefined) await other.release(next, { dueInMs: undefined, restMs: 0 })
      now += 5
      expect(await other.pollable(10)).toMatchObject([{ resourceId: 'pa_req_1', snapshot: undefined }])
      await other.close()
    })

    it('remembers an effect for its handler and resource only', async () => {
      await ledger.accept(delivery())
      await ledger.recordEffect('pa_req_1', 'h', 'greet')
      await ledger.recordEffect('pa_req_1', 'h', 'greet')
      expect(await ledger.isEffectDone('pa_req_1', 'h', 'greet')).toBe(true)
      expect(await ledger.isEffectDone('pa_req_1', 'other', 'greet')).toBe(false)
    })

    it('offers for polling what is at rest and whose time has come', async () => {
      await ledger.accept(delivery())
      const claim = await claimed()
      await ledger.saveSnapshot(claim, { data: { v: 1 }, eventId: 1 }, { terminal: false, pollInMs: 10 })
      await release(claim)
      expect(await ledger.pollable(10)).toEqual([])
      now += 10
      expect(await ledger.pollable(10)).toMatchObject([{ resourceId: 'pa_req_1', snapshot: { v: 1 } }])
      await ledger.notePoll('pa_req_1', undefined)
      expect(await ledger.pollable(10)).toEqual([])
    })

    it('tells every process of a system that is away, until it is back or the time is up', async () => {
      const other = await stand.open({ clock, seal })
      await ledger.noteOutage('ehr', 500)
      await ledger.noteOutage('pharmacy', 100)
      now += 100
      expect(await other.outages()).toEqual([{ system: 'ehr', remainingMs: 400 }])
      await other.noteOutage('ehr', undefined)
      expect(await ledger.outages()).toEqual([])
      await other.close()
    })

    it('rejects a write that fails and stores its neighbours in the same commit', async () => {
      const orphan = ledger.recordEffect('pa_req_unknown', 'h', 'k')
      const neighbours = [ledger.accept(delivery({ text: '1' })), ledger.accept(delivery({ text: '2' }))]
      await expect(orphan).rejects.toThrow()
      const results = await Promise.all(neighbours)
      expect(results.map(({ duplicate }) => duplicate)).toEqual([false, false])
      expect(await ledger.resource('pa_req_1')).toMatchObject({ events: 2 })
    })
  })
}
