import { expect, it } from 'vitest'
import { readCurrentSnapshot } from '../../src/work/snapshot.ts'
import type { Claim, Note } from '../../src/ledger/ledger.ts'
import { captureLog } from '../support/log-capture.ts'
import { createScriptedApi } from '../support/scripted-api.ts'

it('a stored snapshot does not serve an event that was stored after it', async () => {
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
  })
  const service = createScriptedApi()
  const noted: Note[] = []
  const deps = {
    ledger: { bodies: () => Promise.resolve([]) },
    api: service.api,
    pollDelayMs: () => undefined,
    wakePollerIn: () => {},
    log: captureLog().log,
  }
  const journal = { add: (note: Note) => void noted.push(note) }
  const read = (newestEventId: number) =>
    readCurrentSnapshot(claimed(newestEventId), journal, deps, new AbortController().signal)
  expect(await read(5)).toMatchObject({ status: 'old' })
  expect(noted).toEqual([])
  expect(await read(6)).toMatchObject({ status: 'processing' })
  expect(noted).toMatchObject([{ of: 'snapshot', eventId: 6 }])
  expect(service.reads).toHaveLength(1)
})
