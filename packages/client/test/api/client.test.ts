import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../src/api/client.ts'
import { json, now, ok, type ScriptedService, startScriptedService, text, token } from './scripted-service.ts'

let service: ScriptedService
beforeEach(async () => {
  service = await startScriptedService()
})
afterEach(() => service[Symbol.asyncDispose]())

describe('the client reads', () => {
  it('a prior authorization with the token, and skips what it cannot read', async () => {
    service.play(ok({ id: 'pa_req_1', status: 'a_new_status', outcome: 7, activity_log: [{ type: 'carrier_pigeon' }] }))
    const found = await service.api.getPriorAuthorization('pa_req_1')
    expect(found).toMatchObject({ id: 'pa_req_1', status: 'a_new_status' })
    expect(found.outcome).toBeUndefined()
    expect(service.seen[0]).toMatchObject({ method: 'GET', path: '/prior-authorization/pa_req_1' })
    expect(service.seen[0]?.headers.authorization).toBe(`Bearer ${token}`)
  })

  it('a snapshot exactly as it was sent, malformed fields included', async () => {
    const data = { id: 'bv_1', status: 'pending', drugs: 'not a list', novelty: { deep: [1] } }
    service.play(ok(data))
    expect(await service.api.readSnapshot('benefit_verification', 'bv_1')).toEqual(data)
    expect(service.seen[0]?.path).toBe('/benefit-verification/bv_1')
  })

  it('an answer that begins with a byte order mark, from any fetch', async () => {
    const body = `\ufeff${JSON.stringify({ status: 'success', data: { id: 'pa_req_1', status: 'created' } })}`
    service.play(text(200, body))
    expect(await service.api.getPriorAuthorization('pa_req_1')).toMatchObject({ status: 'created' })
    const answer = { status: 200, headers: new Headers(), text: () => Promise.resolve(body) }
    const api = createApi({ baseUrl: service.baseUrl, token, fetch: () => Promise.resolve(answer) })
    expect(await api.getPriorAuthorization('pa_req_1')).toMatchObject({ status: 'created' })
  })
})

describe('an answer about another resource than the one asked for', () => {
  it.each<[string, (api: Api) => Promise<unknown>]>([
    ['a prior authorization', (api) => api.getPriorAuthorization('asked')],
    ['a benefit verification', (api) => api.getBenefitVerification('asked')],
    ['a clinical qualification', (api) => api.getClinicalQualification('asked')],
    ['a status check', (api) => api.getPaStatusCheck('asked')],
    ['a snapshot', (api) => api.readSnapshot('prior_authorization', 'asked')],
  ])('is an error and never %s, and worth another attempt', async (_name, read) => {
    service.play(ok({ id: 'another', status: 'completed' }))
    await expect(read(service.api)).rejects.toMatchObject({
      name: 'ApiAnswerMismatched',
      code: 'api_answer_mismatched',
      retry: 'backoff',
      isOutage: false,
      resourceId: 'asked',
      httpStatus: undefined,
      message: expect.not.stringContaining('another'),
    })
    expect(service.seen).toHaveLength(1)
  })
})

describe('the client keeps to its address', () => {
  it('an id fills its place in the path and cannot leave it', async () => {
    const id = 'a/../b?c#d $& é'
    service.play(ok({ id, status: 'created' }))
    await service.api.getPriorAuthorization(id)
    expect(service.seen[0]?.path).toBe('/prior-authorization/a%2F..%2Fb%3Fc%23d%20%24%26%20%C3%A9')
    for (const id of ['', '.', '..']) {
      await expect(service.api.getPriorAuthorization(id)).rejects.toMatchObject({
        code: 'request_invalid',
        retry: 'never',
      })
    }
    expect(service.seen).toHaveLength(1)
  })

  it('a redirect is not followed', async () => {
    service.play(text(302, '', { location: `${service.baseUrl}/elsewhere` }))
    await expect(service.api.getPriorAuthorization('pa_req_1')).rejects.toMatchObject({
      code: 'api_answer_unreadable',
      httpStatus: 302,
    })
    expect(service.seen).toHaveLength(1)
  })

  it('an address or a token that can never work is refused at once, without showing it', () => {
    expect(() => createApi({ baseUrl: 'nowhere', token })).toThrow(TypeError)
    expect(() => createApi({ baseUrl: service.baseUrl, token: '' })).toThrow(TypeError)
    expect(() => createApi({ baseUrl: service.baseUrl, token: 'canary\n' })).toThrow(/^((?!canary).)*$/)
  })
})

it('reports each attempt with its route, the difference of the clocks, and without ids', async () => {
  const dated = (seconds: number) => ({ date: new Date(now + seconds * 1_000).toUTCString() })
  const body = { status: 'success', data: { id: 'pa_req_1', status: 'created' } }
  service.play(text(503, '', dated(90)), json(200, body, dated(-61)))
  await service.api.getPriorAuthorization('pa_req_1')
  const attempt = { method: 'GET', route: '/prior-authorization/{id}', durationMs: 0, limits: [] }
  expect(service.reports).toEqual([
    { ...attempt, status: 503, clockAheadMs: -90_000 },
    // Of whole seconds: up to one more.
    { ...attempt, status: 200, clockAheadMs: 60_000 + (service.waits[0] ?? 0) },
  ])
})
