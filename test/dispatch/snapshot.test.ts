import { expect, it } from 'vitest'
import { readCurrentSnapshot } from '../../src/dispatch/snapshot.ts'
import type { Claim } from '../../src/ledger/ledger.ts'
import { captureLog } from '../support/log-capture.ts'
import { createScriptedApi } from '../support/scripted-api.ts'

it('a stored snapshot does not serve an event that was stored after the claim', async () => {
  const claim: Claim = {
    resourceId: 'pa_req_1',
    kind: 'prior_authorization',
    claimedAt: 0,
    owner: 'o',
    firstEventAt: 0,
    newestEventId: 5,
    parked: [],
    snapshot: { document: { text: JSON.stringify({ id: 'pa_req_1', status: 'old' }) }, eventId: 5 },
    terminal: false,
    progress: new Map(),
  }
  const service = createScriptedApi()
  const ledger = {
    bodies: () => Promise.resolve([]),
    body: () => Promise.resolve(undefined),
    saveSnapshot: () => Promise.resolve(),
  }
  const event = (id: number) => ({
    id,
    type: 'prior_authorization.status_change',
    receivedAt: 0,
    source: 'webhook' as const,
    repeats: 0,
  })
  const read = (...ids: number[]) =>
    readCurrentSnapshot(
      claim,
      ids.map(event),
      { ledger, api: service.api, log: captureLog().log },
      new AbortController().signal,
    )
  expect(await read(4, 5)).toMatchObject({ status: 'old' })
  expect(await read(4, 5, 6)).toMatchObject({ status: 'processing' })
  expect(service.reads).toHaveLength(1)
})
