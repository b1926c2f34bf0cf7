import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../packages/client/src/api/client.ts'
import {
  json,
  type ScriptedService,
  startScriptedService,
  text,
  token,
} from '../../packages/client/test/api/scripted-service.ts'
import { z } from 'zod'
import { type ApiError, ValidationFailed } from '../../packages/client/src/api/api-errors.ts'
import { endpointOf } from './endpoints.ts'
import { ErrorFixture, readFixture, readFixtures, RequestFixture, shapeFaults } from './spec-fixtures.ts'
import { createPriorAuthorization, startInterfaceWorld, type InterfaceWorld } from './interface-world.ts'

const errors = readFixtures('errors', ErrorFixture)
const requests = readFixtures('requests', RequestFixture)

const CodedBody = z.object({ error: z.object({ code: z.string() }) })
const InTheWay = z.object({ error: z.object({ existing_prior_auth_request_id: z.string() }) })

/** Error that a caller of the client gets: the class, the stable code, and whether another attempt makes sense. */
type Told = [name: string, code: string, retry: 'never' | 'backoff' | 'after']

const byName: Record<string, Told> = {
  'cancel-terminal': ['NotAllowedInState', 'not_allowed_in_state', 'never'],
  'ndp-terminal': ['NotAllowedInState', 'not_allowed_in_state', 'never'],
  'ndp-attempted': ['NotAllowedInState', 'not_allowed_in_state', 'never'],
  'transfer-completed': ['NotAllowedInState', 'not_allowed_in_state', 'never'],
  unauthorized: ['ApiUnauthorized', 'api_unauthorized', 'backoff'],
  'previous-pa-request-in-progress': ['PreviousRequestInProgress', 'previous_request_in_progress', 'never'],
  'prescription-message-already-linked': ['PrescriptionAlreadyLinked', 'prescription_already_linked', 'never'],
  'rate-limit-exceeded': ['RateLimited', 'rate_limited', 'after'],
  'unexpected-error': ['ApiOutcomeUnknown', 'api_outcome_unknown', 'backoff'],
  'unexpected-error-read': ['ApiUnavailable', 'api_unavailable', 'backoff'],
  'resource-busy': ['ResourceBusy', 'resource_busy', 'backoff'],
  'service-unavailable': ['ApiUnavailable', 'api_unavailable', 'backoff'],
  'api-access-not-enabled': ['ApiAccessNotEnabled', 'api_access_not_enabled', 'backoff'],
  'provider-not-authorized': ['ProviderNotAuthorized', 'provider_not_authorized', 'never'],
  'provider-authorization-already-initiated': [
    'ProviderAuthorizationAlreadyInitiated',
    'provider_authorization_already_initiated',
    'never',
  ],
  'daily-prior-auth-request-limit-reached': ['DailyLimitReached', 'daily_limit_reached', 'after'],
  'daily-prior-auth-request-new-plan-limit-reached': ['DailyLimitReached', 'daily_limit_reached', 'after'],
}

/** The rest is told by the HTTP status, or by the service's own code. */
function toldOf(name: string, { http_status, body }: ErrorFixture): Told {
  if (http_status === 404) return ['ApiNotFound', 'api_not_found', 'never']
  if (http_status === 422) return ['ValidationFailed', 'validation_failed', 'never']
  return byName[name] ?? ['ApiRefused', codeOf(body) ?? '', 'never']
}

function codeOf(body: unknown): string | undefined {
  const coded = CodedBody.safeParse(body)
  return coded.success ? coded.data.error.code : undefined
}

describe('the client tells of the documented error', () => {
  let service: ScriptedService
  let api: Api
  beforeEach(async () => {
    service = await startScriptedService()
    const sleep = async () => {}
    api = createApi({ baseUrl: service.baseUrl, token, sleep, maxAttempts: 1 })
  })
  afterEach(() => service[Symbol.asyncDispose]())

  const call = async (fixture: ErrorFixture, status = fixture.http_status) => {
    service.play(fixture.body === null ? text(status, '') : json(status, fixture.body, fixture.headers))
    const [, request] = requests.find(([, { operation }]) => operation === fixture.operation) ?? []
    // The request fixtures fit their endpoints, as fixtures.test.ts shows.
    const called = endpointOf(fixture.operation).call(api, request?.body as never, 'some_id')
    const told = await called.then(
      () => ({ name: 'success', code: '', retry: 'never' }),
      (error: ApiError) => error,
    )
    const { name, code, retry, ...more } = told
    const faults = told instanceof ValidationFailed ? told.faults : undefined
    return { told: [name, code, typeof retry === 'object' ? 'after' : retry], retry, more, faults }
  }

  it.each(errors)('%s', async (name, fixture) => {
    const { told, retry, more, faults } = await call(fixture)
    expect(told).toEqual(toldOf(name, fixture))
    const inTheWay = InTheWay.safeParse(fixture.body).data?.error.existing_prior_auth_request_id
    if (inTheWay !== undefined) expect(more).toMatchObject({ existingPriorAuthRequestId: inTheWay })
    expect(faults).toEqual(Detail.safeParse(fixture.body).data?.detail.map(({ loc, type }) => ({ loc, type })))
    // The service names them, so they may hold patient data: a printed error leaves them out.
    expect(more).not.toHaveProperty('faults')
    expect(service.seen).toHaveLength(1)
    if (fixture.headers !== undefined) expect(retry).toMatchObject({ afterMs: expect.any(Number) })
  })

  const unstated = errors.filter(([, { http_status_stated }]) => !http_status_stated)
  it.each(unstated)('%s, with any HTTP status below 500, as none is stated', async (name, fixture) => {
    for (const status of [400, 402, 403, 404, 409, 422, 429])
      expect({ status, told: (await call(fixture, status)).told }).toEqual({ status, told: toldOf(name, fixture) })
  })

  it.each(unstated)(
    '%s, with a status that says more than a code without a class of its own',
    async (name, fixture) => {
      const own = toldOf(name, fixture)
      const isGeneral = own[0] === 'ApiRefused'
      const [unauthorized] = (await call(fixture, 401)).told
      const [broken] = (await call(fixture, 500)).told
      expect([unauthorized, broken]).toEqual(isGeneral ? ['ApiUnauthorized', 'ApiOutcomeUnknown'] : [own[0], own[0]])
    },
  )
})

/** A rate limit has a quota of its own, and is shown by what uses it up. */
const isPlanned = (code: string | undefined) => code !== undefined && code !== 'rate_limit_exceeded'

/** The sandbox's name of an operation that has a host of its own. */
const named = (operation: string) => operation.replace('/patient-enrollment', '/enrollment/patient-enrollment')

describe('the sandbox refuses as documented', () => {
  let world: InterfaceWorld
  const open: { close(): Promise<void> }[] = []
  beforeAll(async () => {
    world = await startInterfaceWorld({}, open)
  })
  afterAll(() => Promise.all(open.map((part) => part.close())))

  it.each(errors.filter(([, { body }]) => isPlanned(codeOf(body))))(
    '%s, with its status, its code and its shape',
    async (_name, { operation, http_status, body }) => {
      world.sandbox.controls.failNext({ operation: named(operation), code: codeOf(body) ?? '' })
      const answer = await world.send(operation, { id: 'some_id' })
      expect({ status: answer.status, code: codeOf(answer.body) }).toEqual({ status: http_status, code: codeOf(body) })
      expect(answer.body).toMatchObject({ status: 'error', error: { title: expect.any(String) } })
      expect(shapeFaults(answer.body, [body])).toEqual([])
    },
  )

  const path = '/prior-authorization/{id}'
  const cancel = { cancellation_reason: 'late' }
  const pharmacy = { preferred_pharmacy_ncpdp_id: '0034567' }
  const detail = { detail: expect.any(String) }

  it.each([
    ['GET', '', undefined],
    ['POST', '/cancel', cancel],
    ['POST', '/feedback', { category: 'speed', message: 'fine' }],
    ['PATCH', '/ndp-submission', pharmacy],
    ['POST', '/prescription-transfer/cancel', undefined],
  ])('an unknown prior authorization: %s %s', async (method, rest, body) => {
    expect(await world.send(`${method} ${path}${rest}`, { body, id: 'pa_req_none' })).toEqual({
      status: 404,
      body: detail,
    })
  })

  it.each([
    ['GET', '/benefit-verification/{id}'],
    ['POST', '/benefit-verification/{id}/cancel'],
    ['GET', '/clinical-qualification/{id}'],
    ['GET', '/pa-status/{id}'],
  ])('an unknown resource that is no prior authorization: %s %s', async (method, route) => {
    const answer = await world.send(`${method} ${route}`, { id: 'none' })
    expect(answer).toMatchObject({ status: 404, body: { status: 'error', error: { code: 'not_found' } } })
  })

  it('the prior authorization that stands in the way is named', async () => {
    const { operation, body } = readFixture('requests/prior-authorization/full.json', RequestFixture)
    const linking = { ...body, evidence: [] }
    const first = await world.send(operation, { body: linking })
    const id = Created.parse(first.body).data.id
    const resubmission_info = { previous_prior_auth_request_id: id, note: 'again' }
    for (const [name, request] of [
      ['prescription-message-already-linked', linking],
      ['previous-pa-request-in-progress', { ...linking, ndp_submission: undefined, resubmission_info }],
    ] as const) {
      const documented = readFixture(`errors/${name}.json`, ErrorFixture)
      const answer = await world.send(operation, { body: request })
      expect(answer).toMatchObject({ status: 409, body: { error: { existing_prior_auth_request_id: id } } })
      expect(codeOf(answer.body)).toBe(codeOf(documented.body))
      expect(shapeFaults(answer.body, [documented.body])).toEqual([])
    }
  })

  it.each([
    ['POST', '/cancel', cancel, 'Approved'],
    // Of a denied one no transfer was attempted, which would forbid it too.
    ['PATCH', '/ndp-submission', pharmacy, 'Denied'],
    ['POST', '/prescription-transfer/cancel', undefined, 'Approved'],
  ] as const)('what the state of a prior authorization forbids: %s %s', async (method, rest, body, result) => {
    const id = await createPriorAuthorization(world, result)
    world.finish()
    expect(await world.send(`${method} ${path}${rest}`, { body, id })).toEqual({ status: 400, body: detail })
  })

  it.each(errors.filter(([name, { http_status }]) => http_status === 422 && name !== 'malformed-body'))(
    '%s, with the place of the fault',
    async (_name, { operation, body }) => {
      const [, request] = requests.find(([, fixture]) => fixture.operation === operation) ?? []
      const { detail } = Detail.parse(body)
      const broken = detail.reduce<unknown>((whole, { loc, type }) => breakAt(whole, loc.slice(1), type), request?.body)
      const answer = await world.send(operation, { body: broken, id: 'some_id' })
      expect(answer.status).toBe(422)
      expect(Detail.parse(answer.body).detail.map(({ loc }) => loc)).toEqual(detail.map(({ loc }) => loc))
      expect(shapeFaults(answer.body, [body])).toEqual([])
    },
  )
})

const Created = z.object({ data: z.object({ id: z.string() }) })
const Detail = z.object({ detail: z.array(z.object({ loc: z.array(z.string()), msg: z.string(), type: z.string() })) })

/** The request with the fault that the type of a 422 speaks of. */
function breakAt(value: unknown, [key, ...rest]: string[], type: string): unknown {
  if (key === undefined) return type === 'string_too_short' ? '' : type === 'missing' ? undefined : 'no such thing'
  const copy: unknown = structuredClone(value)
  // The fixtures' places exist in the requests, which are objects and lists there.
  const holder = copy as Record<string, unknown>
  holder[key] = breakAt(holder[key], rest, type)
  return copy
}
