import { expect, it } from 'vitest'
import { claimOutside } from '../../packages/testing/src/claim-outside.ts'
import type { Claim, Progress } from '../../packages/ledger/src/hot/claim.ts'
import { isUnchanged, readBacklogs } from '../../src/work/backlog.ts'
import type { AnyHandler } from '../../src/work/handler.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

const baseline = {
  id: 'pa_req_1',
  status: 'processing',
  url: 'https://service.invalid/1?signature=1',
  outcome: { result: 'Pending', detail: null },
  message_thread: { messages: [{ id: 'msg_1', attachments: [{ url: 'https://files.invalid/1?signature=1' }] }] },
}
const signedAnew = JSON.parse(JSON.stringify(baseline).replaceAll('signature=1', 'signature=2')) as typeof baseline
const completed = { ...signedAnew, status: 'completed' }

interface Case {
  reads?: AnyHandler['reads']
  data?: object
  handler?: Partial<AnyHandler>
  claim?: Partial<Claim>
  progress?: Partial<Progress>
  source?: 'poll' | 'cli'
}

function judge({ reads = 'all', data = signedAnew, handler, claim, progress, source }: Case): boolean {
  const event = { id: 2, type: 'prior_authorization.status_change', receivedAt: 0, repeats: 0 }
  const known: Progress = {
    state: 'synced',
    handledEventId: 1,
    triedEventId: 1,
    baseline: { text: JSON.stringify(baseline) },
    tried: [],
    attempts: 0,
    errorCode: undefined,
    dueInMs: undefined,
  }
  const claimed: Claim = {
    ...claimOutside({
      resourceId: 'pa_req_1',
      kind: 'prior_authorization',
      owner: 'test',
      events: [{ ...event, source: source ?? 'webhook' }],
      at: 0,
    }),
    progress: new Map([['a', { ...known, ...progress }]]),
    ...claim,
  }
  const follows: AnyHandler = {
    name: 'a',
    on: ['prior_authorization.status_change'],
    reads,
    handle: async () => {},
    ...handler,
  }
  const [backlog] = readBacklogs(claimed, [follows])
  if (backlog === undefined) throw new Error('There is nothing to do.')
  return isUnchanged(claimed, backlog, data)
}

it.each<[string, Case]>([
  ['of all fields, when only addresses are signed anew', {}],
  ['of fields that did not change, when another one did', { reads: ['outcome', 'message_thread'], data: completed }],
  ['of a field that is absent before and after', { reads: ['activity_log'], data: completed }],
])('a run is left out for a handler %s', (_what, given) => expect(judge(given)).toBe(true))

it.each<[string, Case]>([
  ['a handler that names no fields', { handler: { reads: undefined as never } }],
  ['a handler of all fields, when one changed', { data: completed }],
  ['a handler of a field that changed', { reads: ['outcome', 'status'], data: completed }],
  ['a field that is new', { reads: ['activity_log'], data: { ...signedAnew, activity_log: [] } }],
  ['a handler that gets each event', { handler: { mode: 'each' } }],
  ['a first run', { claim: { progress: new Map() } }],
  ['a run after a failure', { progress: { state: 'due', errorCode: 'refused', attempts: 1 } }],
  ['a run after one that failed with another state', { progress: { tried: [{ text: JSON.stringify(completed) }] } }],
  ['a baseline whose seal is broken', { progress: { baseline: { broken: 'broken' } } }],
  ['a claim after a lost one', { claim: { suspect: true } }],
  ['a change that a poll found', { source: 'poll' }],
  ['a sync by hand', { source: 'cli' }],
])('a run is not left out for %s', (_what, given) => expect(judge(given)).toBe(false))

it('a handler is in sync without a run when nothing that it reads changed, and runs when that did', async () => {
  const runs: string[] = []
  const handler = (name: string, reads: AnyHandler['reads']): AnyHandler => ({
    name,
    on: ['prior_authorization.status_change'],
    ...(reads !== undefined && { reads }),
    handle: async () => void runs.push(name),
  })
  const service = createScriptedApi()
  const handlers = [handler('any event', undefined), handler('outcome', ['outcome']), handler('all', 'all')]
  const gateway = await startLocalGateway({ api: service.api, handlers })
  try {
    for (const [sent, status] of ['processing', 'processing', 'completed'].entries()) {
      service.set({ id: 'pa_req_1', status })
      await deliver(gateway.url, envelope({ id: 'pa_req_1', status, sent }))
      await until('in sync', async () => {
        const resource = await gateway.ledger.resource('pa_req_1')
        const done = resource?.progress.filter(
          ({ state, handledEventId }) => state === 'synced' && handledEventId === sent + 1,
        )
        return done?.length === handlers.length
      })
    }
    expect(runs.toSorted()).toEqual(['all', 'all', 'any event', 'any event', 'any event', 'outcome'])
  } finally {
    await gateway.destroy()
  }
})
