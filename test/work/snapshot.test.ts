import { expect, it } from 'vitest'
import { readCurrentSnapshot } from '../../src/work/snapshot.ts'
import { captureLog } from '../support/log-capture.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import type { Claim } from '../../packages/ledger/src/hot/claim.ts'
import type { Delivery } from '../../packages/ledger/src/hot/accept.ts'
import type { Note } from '../../packages/ledger/src/hot/notes.ts'

const claimed = (newestEventId: number): Claim => ({
  resourceId: 'pa_req_1',
  kind: 'prior_authorization',
  claimedAt: 0,
  owner: 'o',
  claimsLost: 0,
  firstEventAt: 0,
  newestEventId,
  retries: 0,
  suspect: false,
  ownChanges: [],
  snapshot: { document: { text: JSON.stringify({ id: 'pa_req_1', status: 'old' }) }, eventId: 5 },
  terminal: false,
  progress: new Map(),
  events: [],
  newestBody: undefined,
  memory: new Map(),
})

it('a stored snapshot does not serve a later event', async () => {
  const service = createScriptedApi()
  const noted: Note[] = []
  const deps = {
    ledger: {
      bodies: () => Promise.resolve([]),
      accept: () => Promise.reject(new Error('no event was due')),
    },
    noteDrift() {},
    api: service.api,
    wakePollerIn: () => {},
    clock: Date,
    log: captureLog().log,
  }
  const journal = { add: (note: Note) => void noted.push(note) }
  const read = (newestEventId: number) =>
    readCurrentSnapshot(claimed(newestEventId), journal, deps, { signal: new AbortController().signal })
  expect(await read(5)).toMatchObject({ status: 'old' })
  expect(noted).toEqual([])
  expect(await read(6)).toMatchObject({ status: 'processing' })
  expect(noted).toMatchObject([{ of: 'snapshot', eventId: 6 }])
  expect(service.reads).toHaveLength(1)
})

it.each([
  ['only the signature of an address', { status: 'old', url: 'b' }, 0],
  ['its status', { status: 'new', url: 'b' }, 1],
])('a reread snapshot that differs in %s makes the handlers due if they need to know', async (_, now, events) => {
  const service = createScriptedApi()
  service.set({ id: 'pa_req_1', ...now })
  const accepted: Delivery[] = []
  const deps = {
    ledger: {
      bodies: () => Promise.resolve([]),
      accept: async (delivery: Delivery) => ({ eventId: accepted.push(delivery), duplicate: false, traceId: '' }),
    },
    noteDrift() {},
    api: service.api,
    wakePollerIn: () => {},
    clock: Date,
    log: captureLog().log,
  }
  const claim = claimed(5)
  claim.snapshot = { document: { text: JSON.stringify({ id: 'pa_req_1', status: 'old', url: 'a' }) }, eventId: 5 }
  const read = { signal: new AbortController().signal, anew: true }
  expect(await readCurrentSnapshot(claim, { add: () => {} }, deps, read)).toEqual({ id: 'pa_req_1', ...now })
  expect(accepted).toMatchObject(Array.from({ length: events }, () => ({ resourceId: 'pa_req_1', source: 'poll' })))
  expect(accepted).toHaveLength(events)
})
