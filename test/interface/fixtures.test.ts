import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi } from '../../packages/client/src/api/client.ts'
import { eventKinds, type EventType } from '../../packages/client/src/events/event-types.ts'
import { Envelope } from '../../packages/client/src/schemas/envelope.ts'
import { ClinicalQualification } from '../../packages/client/src/schemas/clinical-qualification.ts'
import { faultsOf } from '../../packages/client/src/schemas/faults.ts'
import { schemas } from '../../packages/client/src/schemas/kinds.ts'
import { asSent } from '../../packages/client/src/schemas/lenient.ts'
import {
  json,
  ok,
  type ScriptedService,
  startScriptedService,
  text,
} from '../../packages/client/test/api/scripted-service.ts'
import { endpointOf, endpoints } from './endpoints.ts'
import { fieldsOf, lost, readFixtures, RequestFixture, ResourceFixture, ResponseFixture } from './spec-fixtures.ts'
import { createPriorAuthorization, prepared, startInterfaceWorld } from './interface-world.ts'

const requests = readFixtures('requests', RequestFixture)
const responses = readFixtures('responses', ResponseFixture)

/** Fields that a schema takes although no document shows them in that request, each with the reason. */
const lenient: Record<string, readonly string[]> = {
  // They stand on the resource, or in the same object of another request.
  'POST /benefit-verification': ['patient.mrn', 'patient.email', 'provider.internal_id', 'provider.email'],
  'POST /clinical-qualification': ['patient.mrn', 'provider.in_network_payers'],
  'POST /prior-authorization': ['patient.mrn', 'provider.internal_id', 'provider.in_network_payers'],
  'POST /pa-status': ['patient.mrn', 'provider.internal_id', 'provider.in_network_payers'],
}

describe('a request fixture', () => {
  it.each(requests)('%s fits the strict schema of its endpoint', (_name, { operation, body }) => {
    expect(endpointOf(operation).schema?.safeParse(body).error).toBeUndefined()
  })

  it('exists for every field that a schema takes, and no schema takes more than the documents show', () => {
    for (const { operation, schema } of endpoints) {
      if (schema === undefined) continue
      const own = requests.filter(([, fixture]) => fixture.operation === operation)
      const written = new Set(own.flatMap(([, { body }]) => fieldsOf(body)))
      const taken = fieldsOfSchema(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
      const untold = [...new Set(taken)].filter((field) => !written.has(field))
      expect({ operation, untold: untold.toSorted() }).toEqual({
        operation,
        untold: (lenient[operation] ?? []).toSorted(),
      })
    }
  })

  it.each(requests)('%s is refused with a field too many, wherever it stands', (_name, { operation, body }) => {
    const { schema } = endpointOf(operation)
    const places = objectsIn(body)
    const accepted = places.filter((path) => {
      const broken = withSurprise(body, path)
      const error = schema?.safeParse(broken).error
      const faults = error === undefined ? [] : faultsOf(error, broken)
      const at = ['body', ...path, 'surprise'].join('.')
      return !faults.some(({ loc, type }) => loc.join('.') === at && type === 'extra_forbidden')
    })
    expect(accepted).toEqual([])
    expect(places).toContainEqual([])
  })

  it.each(requests)('%s is accepted by the sandbox over HTTP', async (_name, fixture) => {
    const world = await startInterfaceWorld()
    const body = await prepared(world, fixture)
    const id = fixture.operation.includes('{id}') ? await createPriorAuthorization(world, 'Approved') : ''
    const { status } = await world.send(fixture.operation, { body, id })
    expect(status).toBe(fixture.operation.endsWith('/feedback') ? 201 : 200)
  })
})

describe('no documented field is lost', () => {
  const kinds = [
    ['prior-authorization', schemas.prior_authorization],
    ['benefit-verification', schemas.benefit_verification],
    ['clinical-qualification', ClinicalQualification],
    ['provider-outreach', schemas.provider_outreach],
  ] as const
  const resources = kinds.flatMap(([kind, schema]) =>
    readFixtures(`resources/${kind}`, ResourceFixture).flatMap(([file, content]) =>
      content.map((resource, index) => ({
        name: `${kind}/${file} ${index}`,
        schema,
        resource,
      })),
    ),
  )
  it.each(resources)('of the resource $name when it is read', ({ schema, resource }) => {
    expect(lost(resource, asSent(schema.parse(resource)))).toEqual([])
  })

  it.each(readFixtures('envelopes', z.looseObject({})))('of the webhook %s when it is read', (name, envelope) => {
    expect(name in eventKinds).toBe(true)
    const read = Envelope.parse(envelope)
    expect(lost(envelope, read)).toEqual([])
    // Just seen to be a documented one.
    const schema = schemas[eventKinds[name as EventType]]
    expect(lost(envelope.data, asSent(schema.parse(read.data)))).toEqual([])
  })

  it('and every documented event type has its webhook', () => {
    expect(readFixtures('envelopes', z.unknown()).map(([name]) => name)).toEqual(Object.keys(eventKinds).toSorted())
  })

  let service: ScriptedService
  beforeEach(async () => {
    service = await startScriptedService()
  })
  afterEach(() => service[Symbol.asyncDispose]())

  it.each(responses)(
    'of the answer %s when the client has read it',
    async (_name, { operation, http_status, body }) => {
      service.play(body === null ? text(http_status, '') : json(http_status, body))
      const endpoint = endpointOf(operation)
      const [, request] = requests.find(([, fixture]) => fixture.operation === operation) ?? []
      const api = createApi({ baseUrl: service.baseUrl, enrollmentBaseUrl: service.baseUrl, token: 'canary-token' })
      // The request fixtures fit their endpoints, as shown above.
      const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined
      const id = z.object({ id: z.string() }).safeParse(data).data?.id ?? 'some_id'
      const got = await endpoint.call(api, request?.body as never, id)
      expect(lost(data ?? (Array.isArray(body) || hasStatusOfItsOwn(body) ? body : null), asSent(got))).toEqual([])
      const [method, route = ''] = operation.split(' ')
      const path = route.replace('{id}', id)
      const headers = { authorization: 'Bearer canary-token' }
      expect(service.seen).toMatchObject([{ method, path, body: request?.body, headers }])
    },
  )

  const checks = readFixtures('resources/pa-status', ResourceFixture).flatMap(([, content]) => content)
  it.each(checks)('of the status check %j when the client has read it', async (check) => {
    service.play(ok(check))
    const api = createApi({ baseUrl: service.baseUrl, token: 'canary-token' })
    const { id } = z.object({ id: z.string() }).parse(check)
    expect(lost(check, await api.getPaStatusCheck(id))).toEqual([])
  })

  it('and every endpoint has its answer', () => {
    const answered = new Set(responses.map(([, { operation }]) => operation))
    expect(endpoints.filter(({ operation }) => !answered.has(operation))).toEqual([])
  })
})

/** May hold any field: evidence that is an object, and what an enrollment says beside its prescription. */
const free = new Set(['content', 'extra'])

/** The path of every object in a request, its own included. */
function objectsIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null || free.has(path.at(-1) ?? '')) return []
  const inner = Object.entries(value).flatMap(([key, item]) => objectsIn(item, [...path, key]))
  return Array.isArray(value) ? inner : [path, ...inner]
}

/** The request with one more field in the object at `path`. */
function withSurprise(body: object, path: readonly string[]): object {
  const copy = structuredClone(body)
  // The path was found in the body, which holds objects and lists there.
  const holder = path.reduce((inner, key) => inner[key] as Record<string, unknown>, copy as Record<string, unknown>)
  holder.surprise = 1
  return copy
}

/** POST /provider/lookup answers with a `status` that tells of the provider, not of the call. */
const hasStatusOfItsOwn = (body: unknown) =>
  typeof body === 'object' && body !== null && 'status' in body && body.status !== 'success'

/** Every field that a JSON Schema shows, as `a.b[].c`; the fields of a free object are left out. */
function fieldsOfSchema(schema: z.core.JSONSchema.BaseSchema, path = ''): string[] {
  const { properties = {}, items, anyOf = [], oneOf = [] } = schema
  const inner = [...anyOf, ...oneOf].flatMap((branch) => fieldsOfSchema(branch, path))
  const listed = typeof items === 'object' && !Array.isArray(items) ? fieldsOfSchema(items, `${path}[]`) : []
  const own = Object.entries(properties).flatMap(([key, property]) => {
    const field = path === '' ? key : `${path}.${key}`
    return [field, ...(typeof property === 'object' ? fieldsOfSchema(property, field) : [])]
  })
  return [...inner, ...listed, ...own]
}
