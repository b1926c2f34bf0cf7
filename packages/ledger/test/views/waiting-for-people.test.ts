import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLedger } from '../../src/create-ledger.ts'
import type { Ledger } from '../../src/ledger.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import type { Storage } from '../../src/storage.ts'
import { act } from '../../../../test/support/act.ts'
import type { PersonWait } from '../../src/hot/person-wait.ts'
import type { WaitingCursor } from '../../src/views/waiting-for-people.ts'
import { describeOnEachStorage } from '../on-each-storage.ts'
import { aDelivery } from '../a-delivery.ts'
import { atTime } from '../at-time.ts'

const dayMs = 86_400_000
const keep = { keepMs: 30 * dayMs, parkedKeepMs: 365 * dayMs, reportKeepMs: 400 * 86_400_000 }

/** Who waits for people, on any kind of storage. */
function describeStanding(open: () => Promise<Storage>) {
  let ledger: Ledger
  let now: number

  beforeEach(async () => {
    now = 1_000 * dayMs
    ledger = createLedger({
      storage: atTime(await open(), () => now),
      seal: createSeal([Buffer.alloc(32, 7)]),
    })
  })
  afterEach(() => ledger.close())

  const delivery = (resourceId: string, source: 'webhook' | 'poll' = 'webhook') =>
    aDelivery({ resourceId, body: { resourceId, now }, source })

  /** Reads the resource as a worker does. */
  async function read(id: string, personWait: PersonWait, { pollInMs }: { pollInMs?: number } = {}): Promise<void> {
    now += 10
    await ledger.accept(delivery(id))
    const claim = await ledger.claim(id, 1_000, {})
    if (claim === undefined) throw new Error(`${id} could not be claimed`)
    const facts = { readAt: now, changes: [], identifiers: [], personWait }
    const text = JSON.stringify({ id, now })
    await ledger.release(claim, {
      notes: [{ of: 'snapshot', text, eventId: claim.newestEventId, terminal: false, pollInMs, facts }],
      dueInMs: undefined,
      restMs: 0,
    })
  }
  const queue = async () => (await ledger.waitingForPeople(50)).rows.map(({ id, reason }) => `${id} ${reason}`)
  async function purge(): Promise<void> {
    await ledger.followClock(1_000)
    for (let cursor: number | undefined = 0; cursor !== undefined;) cursor = (await ledger.purge(keep, cursor)).cursor
  }

  it('are listed longest first, each with the start of its reason', async () => {
    await read('pa_req_1', { waitsFor: 'awaiting_review' })
    const since = now
    await read('pa_req_2', { waitsFor: 'denied' })
    await read('pa_req_3', {})
    await read('pa_req_1', { waitsFor: 'awaiting_review' })
    expect((await ledger.waitingForPeople(50)).rows).toEqual([
      { id: 'pa_req_1', kind: 'prior_authorization', reason: 'awaiting_review', since },
      { id: 'pa_req_2', kind: 'prior_authorization', reason: 'denied', since: since + 10 },
    ])
    await read('pa_req_1', { waitsFor: 'awaiting_provider_response' })
    expect(await queue()).toEqual(['pa_req_2 denied', 'pa_req_1 awaiting_provider_response'])
    await read('pa_req_2', {})
    expect(await queue()).toEqual(['pa_req_1 awaiting_provider_response'])
  })

  it('leave out requests replaced by another, in any order of arrival', async () => {
    await read('pa_req_1', { waitsFor: 'denied' })
    await read('pa_req_2', { waitsFor: 'awaiting_review', followsUp: 'pa_req_1' })
    await read('pa_req_4', { followsUp: 'pa_req_3' })
    await read('pa_req_3', { waitsFor: 'denied' })
    expect(await queue()).toEqual(['pa_req_2 awaiting_review'])
  })

  it('are paged, each once, past any number of replaced resources', async () => {
    for (let n = 1; n <= 9; n += 1) {
      await read(`pa_req_${n}`, { waitsFor: 'denied' })
      if (n % 2 === 0 || n > 5) await read(`pa_req_${n}_new`, { followsUp: `pa_req_${n}` })
    }
    const ids: string[] = []
    let after: WaitingCursor | undefined
    do {
      const page = await ledger.waitingForPeople(2, after)
      ids.push(...page.rows.map(({ id }) => id))
      after = page.next
    } while (after !== undefined)
    expect(ids).toEqual(['pa_req_1', 'pa_req_3', 'pa_req_5'])
  })

  it('come from polls too, even from one that finds no change', async () => {
    await read('pa_req_1', {}, { pollInMs: 10 })
    const poll = async () => {
      now += 1_000
      const [found] = (await ledger.claimPolls(1, 500)).polls
      if (found === undefined) throw new Error('nothing to poll')
      return found
    }
    await ledger.recordPoll(await poll(), {
      of: 'unchanged',
      pollInMs: 10,
      personWait: { waitsFor: 'awaiting_review' },
    })
    expect(await queue()).toEqual(['pa_req_1 awaiting_review'])
    await ledger.recordPoll(await poll(), { of: 'failed', pollInMs: 10 })
    expect(await queue()).toEqual(['pa_req_1 awaiting_review'])
    await ledger.recordPoll(await poll(), {
      of: 'changed',
      snapshot: {
        of: 'snapshot',
        pollInMs: undefined,
        text: '{}',
        terminal: true,
        facts: { readAt: now, changes: [], identifiers: [], personWait: { waitsFor: 'denied' } },
      },
      event: delivery('pa_req_1', 'poll'),
    })
    expect(await queue()).toEqual(['pa_req_1 denied'])
  })

  it('end with the snapshot: by retention, and by erasure of a patient', async () => {
    await read('pa_req_1', { waitsFor: 'denied' })
    await ledger.erase('pa_req_1', 'patient-7', act)
    expect(await queue()).toEqual([])
    await read('pa_req_2', { waitsFor: 'denied' })
    now += 31 * dayMs
    await purge()
    expect(await queue()).toEqual([])
  })
}

describeOnEachStorage('waits for people in a ledger', describeStanding)
