import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PawlError } from '../../../base/src/errors.ts'
import { ApiNotFound } from '../../src/api/api-errors.ts'
import {
  detail,
  drop,
  half,
  hang,
  json,
  ok,
  type Play,
  type ScriptedService,
  refused,
  startScriptedService,
  text,
  token,
} from './scripted-service.ts'
import { priorAuthorizationRequest } from './client-requests.ts'

let service: ScriptedService
beforeEach(async () => {
  service = await startScriptedService({ timeoutMs: 5_000 })
})
afterEach(() => service[Symbol.asyncDispose]())

const get = (from = service) => from.api.getPriorAuthorization('pa_req_1')
const cancel = (from = service) => from.api.cancelPriorAuthorization('pa_req_1', 'canary-reason')

const limited = (retryAfter: string) => refused(429, 'rate_limit_exceeded', {}, { 'retry-after': retryAfter })

async function failureOf(call: Promise<unknown>): Promise<PawlError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof PawlError)) throw new Error('no PawlError was thrown', { cause: error })
  return error
}

describe('an answer of the service becomes a typed error', () => {
  const validation = json(422, {
    detail: [
      { loc: ['body', 'patient', 'Testa Sample'], msg: 'canary', type: 'missing' },
      { loc: ['body', 0], msg: '' },
    ],
  })
  const cases: [string, Play, object][] = [
    ['404 {detail}', detail(404), { code: 'api_not_found', retry: 'never', httpStatus: 404, resourceId: 'pa_req_1' }],
    ['401 without a body', text(401, ''), { code: 'api_unauthorized', retry: 'backoff' }],
    ['403 with HTML', text(403, '<html>'), { code: 'api_unauthorized', retry: 'backoff' }],
    ['a documented code', refused(400, 'invalid_npi'), { code: 'invalid_npi', retry: 'never', httpStatus: 400 }],
    ['a code that is none', refused(400, 'Testa Sample canary'), { code: 'api_refused' }],
    ['an error in a 200', refused(200, 'other'), { code: 'other' }],
    [
      'the daily limit',
      refused(429, 'daily_prior_auth_request_limit_reached'),
      {
        code: 'daily_limit_reached',
        limit: 'daily_prior_auth_request_limit_reached',
        retry: { afterMs: 3_600_000 + 180_250 },
      },
    ],
    [
      '422',
      validation,
      {
        code: 'validation_failed',
        retry: 'never',
        faults: [
          { loc: ['body', 'patient', '?'], type: 'missing' },
          { loc: ['body', 0], type: 'invalid' },
        ],
      },
    ],
    [
      'lists within one another',
      text(200, `${'['.repeat(200)}${']'.repeat(200)}`),
      { code: 'api_answer_unreadable', reason: 'json_too_deep', isOutage: false, retry: 'backoff' },
    ],
    ['HTML', text(200, '<html>canary</html>'), { code: 'api_answer_unreadable', reason: 'not_json', retry: 'backoff' }],
    [
      'half of the JSON',
      text(200, '{"status":"success","data":{"id":"can'),
      { code: 'api_answer_unreadable', reason: 'not_json' },
    ],
    ['nothing', text(200, ''), { code: 'api_answer_unreadable', reason: 'empty' }],
    ['a number', text(200, '7'), { code: 'api_answer_unreadable', reason: 'unexpected_shape' }],
    ['data that is no resource', ok({ id: 7 }), { code: 'api_answer_unreadable', reason: 'unexpected_shape' }],
    [
      'a 404 that is not the service speaking',
      text(404, '<html>'),
      { code: 'api_answer_unreadable', retry: 'backoff' },
    ],
    ['a 400 of another shape', json(400, { detail: 7 }), { code: 'api_answer_unreadable', reason: 'unexpected_shape' }],
    [
      'a code that is not documented',
      json(400, { status: 'error', error: { code: 'Testa_Sample' } }),
      { code: 'api_refused', message: expect.stringContaining('refused with ?') },
    ],
    [
      'faults at fields and of types that are not documented',
      json(422, { detail: [{ loc: ['body', 'patient', 'Testa', 0], msg: 'x', type: 'canary_type' }] }),
      { code: 'validation_failed', message: expect.stringContaining('body.patient.?.0: ?') },
    ],
    ['another status with {detail}', detail(405), { code: 'http_405', retry: 'never' }],
  ]
  it.each(cases)('%s', async (_name, answer, expected) => {
    service.play(answer)
    const error = await failureOf(get())
    expect(error).toMatchObject({ method: 'GET', route: '/prior-authorization/{id}', ...expected })
    expect(service.seen).toHaveLength(1)
    const told = JSON.stringify(error) + error.message + error.stack
    for (const secret of ['canary', 'Testa', token]) expect(told).not.toContain(secret)
    expect(error.cause).toBeUndefined()
  })

  const saying = 'Prior authorization request with status completed cannot be cancelled: Testa Sample.'
  it.each<[string, Play, string, string]>([
    ['a {detail}', json(400, { detail: saying }), saying, 'its status completed forbids it'],
    [
      'a transfer',
      json(400, { detail: 'Prescription transfer is in completed state and cannot be cancelled.' }),
      'Prescription transfer is in completed state and cannot be cancelled.',
      'its status completed forbids it',
    ],
    [
      'a state that is not documented',
      json(400, { detail: 'Testa is in trouble' }),
      'Testa is in trouble',
      'the current state',
    ],
    ['a code', refused(400, 'invalid_npi', { description: saying }), saying, 'refused with invalid_npi'],
    ['a resource that is none', json(404, { detail: saying }), saying, 'does not exist'],
    ['another status', json(405, { detail: saying }), saying, 'refused with http_405'],
    [
      'a validation',
      json(422, { detail: [{ loc: ['body', 'cancellation_reason'], msg: 'no Testa', type: 'string_too_short' }] }),
      'body.cancellation_reason: no Testa',
      'correct body.cancellation_reason: must not be empty',
    ],
  ])('and keeps the words of the service apart from what is logged: %s', async (_name, answer, detail, message) => {
    service.play(answer)
    const error = await failureOf(cancel())
    expect(error).toHaveProperty('detail', detail)
    expect(error.message).toContain(message)
    for (const told of [
      error.message,
      error.stack,
      JSON.stringify(error),
      inspect(error),
      Object.values(error).join(' '),
    ])
      expect(told).not.toContain('Testa')
  })

  it('that says nothing about the service where a person typed the id', async () => {
    for (const mayNotExist of [undefined, true]) {
      service.play(json(404, { detail: 'gone' }))
      const error = await failureOf(service.api.readSnapshot('prior_authorization', 'pa_req_1', { mayNotExist }))
      expect(error).toMatchObject({ code: 'api_not_found', mayBeOutage: mayNotExist === undefined })
    }
  })

  it('with its class, its name and the id of the request', async () => {
    service.play(json(404, { detail: 'gone' }, { 'x-request-id': 'req-7' }))
    const error = await failureOf(get())
    expect(error).toBeInstanceOf(ApiNotFound)
    expect(error).toMatchObject({ name: 'ApiNotFound', requestId: 'req-7' })
    expect(error.message).toBe(
      'GET /prior-authorization/{id} (404): pa_req_1 does not exist or is not visible to the organization',
    )
  })
})

describe('a read is tried again', () => {
  it.each<[string, Play, string]>([
    ['500', refused(500, 'unexpected_error'), 'api_unavailable'],
    ['502 with HTML', text(502, '<html>'), 'api_unavailable'],
    ['503', refused(503, 'service_unavailable'), 'api_unavailable'],
    ['504', text(504, ''), 'api_unavailable'],
    ['a dropped connection', drop, 'api_unreachable'],
    ['half a body', half, 'api_answer_unreadable'],
  ])('after %s, three times in all', async (_name, trouble, code) => {
    service.play(trouble, trouble, ok({ id: 'pa_req_1', status: 'created' }))
    expect(await get()).toMatchObject({ status: 'created' })
    expect(service.waits).toEqual([250, 500])
    service.play(trouble)
    expect(await failureOf(get())).toMatchObject({ code, retry: 'backoff' })
    expect(service.seen).toHaveLength(6)
  })

  it('after an answer that does not come in time', async () => {
    await using slow = await startScriptedService({ timeoutMs: 500 })
    slow.play(hang, ok({ id: 'pa_req_1', status: 'created' }))
    expect(await get(slow)).toMatchObject({ status: 'created' })
    slow.play(hang)
    expect(await failureOf(get(slow))).toMatchObject({ code: 'api_unreachable', reason: 'timeout', retry: 'backoff' })
  })

  it('but not after a refusal', async () => {
    service.play(text(401, ''))
    await failureOf(get())
    expect(service.seen).toHaveLength(1)
  })
})

describe('a write whose outcome is unknown is never sent again', () => {
  it.each<[string, Play, string]>([
    ['500', refused(500, 'unexpected_error'), 'status 500'],
    ['502', text(502, '<html>'), 'status 502'],
    ['503 without a code', text(503, ''), 'status 503'],
    ['a dropped connection', drop, 'UND_ERR_SOCKET'],
    ['half an answer', half, 'answer cut'],
    ['an answer in HTML', text(200, '<html>canary'), 'answer not_json'],
  ])('%s', async (_name, trouble, reason) => {
    service.play(trouble)
    expect(await failureOf(cancel())).toMatchObject({
      code: 'api_outcome_unknown',
      reason,
      retry: 'backoff',
      isOutage: true,
    })
    expect(service.seen).toHaveLength(1)
  })

  it('no answer in time', async () => {
    await using slow = await startScriptedService({ timeoutMs: 500 })
    slow.play(hang)
    expect(await failureOf(cancel(slow))).toMatchObject({
      code: 'api_outcome_unknown',
      reason: 'timeout',
      isOutage: true,
    })
    expect(slow.seen).toHaveLength(1)
  })

  it('but it is sent when it never left before', async () => {
    const gone = await startScriptedService()
    await gone[Symbol.asyncDispose]()
    expect(await failureOf(cancel(gone))).toMatchObject({ code: 'api_unreachable', reason: 'ECONNREFUSED' })
    expect(gone.reports).toHaveLength(3)
  })

  it('and not at once when the service says it is unavailable', async () => {
    service.play(refused(503, 'service_unavailable'))
    expect(await failureOf(cancel())).toMatchObject({ code: 'api_unavailable', retry: 'backoff' })
    expect(service.seen).toHaveLength(1)
  })
})

describe('Retry-After', () => {
  it.each([
    ['2', 2_000 + 350],
    ['Sun, 01 Mar 2026 12:00:05 GMT', 5_000 + 500],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 250],
    ['nonsense', 1_000 + 300],
  ])('"%s" is waited for with jitter, for reads and writes alike', async (value, waitMs) => {
    for (const call of [get, cancel]) {
      await using fresh = await startScriptedService()
      fresh.play(limited(value), ok({ id: 'pa_req_1', status: 'created' }))
      await call(fresh)
      expect(fresh.waits).toEqual([waitMs])
    }
  })

  it('that is longer than a call may wait is thrown as the verdict', async () => {
    service.play(limited('60'))
    expect(await failureOf(cancel())).toMatchObject({ code: 'rate_limited', retry: { afterMs: 60_000 + 3_250 } })
    expect(service.waits).toEqual([])
    expect(service.seen).toHaveLength(1)
  })

  it.each([
    ['rate_limit_exceeded', 'rate_limited'],
    ['daily_prior_auth_request_limit_reached', 'daily_limit_reached'],
    ['daily_prior_auth_request_new_plan_limit_reached', 'daily_limit_reached'],
  ])('of a day is never cut short: %s', async (limit, code) => {
    service.play(refused(429, limit, {}, { 'retry-after': '86400' }))
    const call = service.api.createPriorAuthorization(priorAuthorizationRequest)
    expect(await failureOf(call)).toMatchObject({ code, retry: { afterMs: 86_400_000 + 4_320_250 } })
    expect(service.seen).toHaveLength(1)
  })

  it('holds back the other calls of the endpoint, too, though the answer names no rate limit', async () => {
    service.play(limited('60'))
    expect(await failureOf(cancel())).toMatchObject({ code: 'rate_limited' })
    expect(await failureOf(cancel())).toMatchObject({ code: 'rate_budget_spent', retry: { afterMs: 60_000 } })
    expect(service.seen).toHaveLength(1)
  })

  it('of a refusal that is about no rate holds back no other call', async () => {
    service.play(refused(429, 'daily_prior_auth_request_limit_reached', {}, { 'retry-after': '86400' }))
    const create = () => service.api.createPriorAuthorization(priorAuthorizationRequest)
    for (const call of [create(), create()])
      expect(await failureOf(call)).toMatchObject({ code: 'daily_limit_reached' })
    expect(service.seen).toHaveLength(2)
  })

  it('bounds the waits of a call in all', async () => {
    service.play(limited('6'))
    expect(await failureOf(get())).toMatchObject({ code: 'rate_limited' })
    expect(service.waits).toEqual([6_550])
  })

  it('of an unavailable service is obeyed too', async () => {
    service.play(text(503, '', { 'retry-after': '3' }), ok({ id: 'pa_req_1', status: 'created' }))
    await get()
    expect(service.waits).toEqual([3_400])
  })
})
