import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import { ApiNotFound, ApiUnavailable } from '../../../packages/client/src/api/api-errors.ts'
import type { EventType } from '../../../packages/client/src/events/event-types.ts'
import { createScriptedApi, type ScriptedApi } from '../../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../support/start-local-gateway.ts'
import { until } from '../../support/until.ts'
import { deliver, envelope } from '../../support/webhook.ts'

describe('a resource that is synced by hand', () => {
  let gateway: LocalGateway
  let service: ScriptedApi
  let runs: string[]
  let aheadMs: number

  beforeEach(async () => {
    runs = []
    aheadMs = 0
    service = createScriptedApi()
    const watch = (name: string, on: EventType[], mode: 'latest' | 'each' = 'latest') =>
      defineHandler({
        name,
        on,
        mode,
        async handle({ resource, events }) {
          runs.push(`${name} ${resource.id} by ${events.map(({ source }) => source).join(' ')}`)
        },
      })
    const handlers = [
      watch('messages', ['prior_authorization.message']),
      watch('all', ['prior_authorization.status_change', 'prior_authorization.message'], 'each'),
      watch('benefits', ['benefit_verification.status_change']),
    ]
    const clock = { now: () => Date.now() + aheadMs }
    gateway = await startLocalGateway(
      { api: service.api, handlers, clock },
      { POLL_INTERVAL_MS: '3600000', LEASE_MS: '3600000' },
    )
  })
  afterEach(() => gateway.destroy())

  const sync = (...resources: string[]) => request(gateway.adminUrl).post('/api/sync').send({ resources })
  const synced = () => until('nothing is due', async () => (await gateway.ledger.counts()).due === 0, 30_000)

  it('reaches every handler of its kind once, regardless of its event types', async () => {
    const { status, body } = await sync('pa_req_1', 'bv_1', 'pa_req_1')
    expect({ status, body }).toEqual({ status: 200, body: { resources: 2 } })
    await synced()
    expect(runs.toSorted()).toEqual(['all pa_req_1 by cli', 'benefits bv_1 by cli', 'messages pa_req_1 by cli'])
    // Of what pawl has not heard, the service is asked first whether there is such a resource.
    expect(service.reads.toSorted()).toEqual(['bv_1', 'bv_1', 'pa_req_1', 'pa_req_1'])
  })

  it('is read again even if known, on each request', async () => {
    await deliver(gateway.url, envelope({ id: 'pa_req_1', status: 'processing' }))
    await synced()
    for (const reads of [2, 3]) {
      await sync('pa_req_1')
      await synced()
      expect(service.reads).toHaveLength(reads)
    }
    expect(runs.filter((run) => run === 'messages pa_req_1 by cli')).toHaveLength(2)
  })

  it('is polled at the pace of its age, since no webhook is ahead of the API', async () => {
    await sync('pa_req_1')
    await synced()
    aheadMs = 9 * 60_000
    expect(await gateway.ledger.counts()).toMatchObject({ toPoll: 0 })
    aheadMs = 11 * 60_000
    expect(await gateway.ledger.counts()).toMatchObject({ toPoll: 1 })
  })

  it('is refused without any record if the service does not know it, even beside known ids', async () => {
    service.before = (id) => {
      if (id.includes('typo'))
        throw new ApiNotFound({ method: 'GET', route: '/prior-authorization/{id}', httpStatus: 404 }, id)
    }
    const typos = ['pa_req_typo_1', 'pa_req_typo_2', 'pa_req_typo_3', 'pa_req_typo_4', 'bv_typo']
    const answer = await sync('pa_req_1', ...typos)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      error: { code: 'sync_refused', message: expect.stringContaining(`does not know ${typos.join(', ')}`) as string },
    })
    expect(await gateway.ledger.counts()).toMatchObject({ events: 0, resources: 0, parked: 0 })
    // Nor is the service left alone for it.
    const ready = (await request(gateway.adminUrl).get('/readyz')).body as { breakers: object; away: unknown[] }
    expect(ready).toMatchObject({ breakers: { api: 'closed' }, away: [] })
    await sync('pa_req_1')
    await synced()
    expect(runs).toContain('all pa_req_1 by cli')
  })

  it('is left to a worker if the service does not answer whether it exists', async () => {
    let isAway = true
    service.before = () => {
      if (isAway) throw new ApiUnavailable({ method: 'GET', route: '/prior-authorization/{id}' }, 'backoff')
    }
    expect((await sync('pa_req_1')).body).toEqual({ resources: 1 })
    isAway = false
    await synced()
    expect(runs).toContain('all pa_req_1 by cli')
  })

  it.each([
    ['an id of unknown shape', ['pa_req_1', 'unknown']],
    ['an id that is invalid in a URL', ['pa_req_1', 'bv_/1']],
    ['an empty id', ['pa_req_1', 'pa:']],
    ['an outreach attempt, which has no GET', ['pa_req_1', 'prov_outreach_1']],
    ['an id of another kind', ['pa_req_1', 'bv:pa_req_known']],
  ])('is refused together with %s', async (_, names) => {
    await deliver(gateway.url, envelope({ id: 'pa_req_known', status: 'processing' }))
    const answer = await sync(...names)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error: { code: 'sync_refused' } })
    expect(await gateway.ledger.counts()).toMatchObject({ events: 1, resources: 1 })
  })
})
