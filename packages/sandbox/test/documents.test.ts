import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { foreign } from '../../../test/foreign/load.ts'
import { openApiParser } from '../../../test/foreign/openapi-parser.ts'
import { startSandbox, startWebhook } from './play.ts'
import { ndpSubmission, priorAuthorization } from './requests.ts'
import { createAsyncApi } from '../src/documents/asyncapi.ts'
import { createOpenApi } from '../src/documents/sandbox-openapi.ts'
import { answerSchemas } from '../src/documents/schemas.ts'
import { nameOf, operations } from '../src/platform/operations.ts'
import { eventTypes } from '../src/webhooks/settings.ts'

interface Media {
  schema: object
  examples: Record<string, { value: unknown }>
}
interface Operation {
  requestBody?: { content: { 'application/json': Media } }
  responses: Record<string, { content?: { 'application/json': Media }; headers: object }>
}
interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}
interface AsyncApi {
  components: {
    messages: Record<string, { name: string; payload: object; examples: { payload: object }[] }>
    schemas: Record<string, object>
  }
}

interface AsyncApiParser {
  parse(text: string): Promise<{ document?: { version(): string }; diagnostics: { severity: number }[] }>
}
const asyncApiLibrary = await foreign<{ Parser: new () => AsyncApiParser }>('@asyncapi/parser')
const asyncApiParser = asyncApiLibrary && new asyncApiLibrary.Parser()

// The compiler cannot see the shapes, which the validators check below.
const openApi = JSON.parse(JSON.stringify(createOpenApi())) as OpenApi
const asyncApi = JSON.parse(JSON.stringify(createAsyncApi())) as AsyncApi

const ajv = new Ajv2020({ strict: false, allErrors: true })
ajvFormats.default(ajv)
// Of OpenAPI's registry of formats, not of JSON Schema: a date-time without a zone.
ajv.addFormat('date-time-local', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/)
const checks = new Map<string, ValidateFunction>()

/** Says what is wrong with a value by a schema of the document; empty when nothing is. */
function faults(schema: object, value: unknown): string {
  const key = JSON.stringify(schema)
  const check = checks.get(key) ?? ajv.compile({ ...schema, components: openApi.components })
  checks.set(key, check)
  return check(value) ? '' : ajv.errorsText(check.errors)
}

const described = operations.map((operation) => {
  const found = openApi.paths[operation.route]?.[operation.method.toLowerCase()]
  if (found === undefined) throw new Error(`${nameOf(operation)} is not described`)
  return { ...operation, name: nameOf(operation), described: found }
})
const mediaOf = (part: { content?: { 'application/json': Media } } | undefined) => part?.content?.['application/json']

describe('the OpenAPI document', () => {
  it('is served without a token', async () => {
    const { sandbox } = await startSandbox()
    const { body } = await request(sandbox.app).get('/openapi.json').expect(200)
    expect(body).toEqual(openApi)
    expect(body.openapi).toBe('3.1.0')
  })

  it.skipIf(openApiParser === undefined)('passes the validator', async () => {
    expect(await openApiParser?.validate(createOpenApi())).toMatchObject({ valid: true, warnings: [] })
  })

  it('describes every endpoint, and none besides', () => {
    const names = Object.entries(openApi.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(names.toSorted()).toEqual(operations.map(nameOf).toSorted())
  })

  it('has examples that fit their schemas', () => {
    for (const { name, described: operation } of described)
      for (const media of [mediaOf(operation.requestBody), ...Object.values(operation.responses).map(mediaOf)])
        for (const [example, { value }] of Object.entries(media?.examples ?? {}))
          expect([name, example, faults(media?.schema ?? {}, value)]).toEqual([name, example, ''])
  })

  it('describes every property of requests, answers and events', () => {
    const documents = { openApi, asyncApi }
    expect(propertiesIn(documents).length).toBeGreaterThan(500)
    expect(propertiesIn(documents).filter(({ property }) => (property.description ?? '').length < 10)).toEqual([])
  })

  it('gives every text and number a valid example, and a valid default', () => {
    const properties = propertiesIn(openApi.components.schemas)
    const values = properties.filter(({ property }) => isOfOwnWords(property))
    expect(values.filter(({ property }) => property.examples === undefined && property.default === undefined)).toEqual(
      [],
    )
    for (const { path, property } of properties)
      for (const value of [...(property.examples ?? []), ...('default' in property ? [property.default] : [])])
        expect([path, value, faults(property, value)]).toEqual([path, value, ''])
  })

  it('describes texts by formats and patterns, so generated values are accepted', () => {
    const properties = propertiesIn({ openApi })
    const formats = new Set(properties.map(({ property }) => property.format))
    expect(formats).toEqual(new Set([undefined, 'date', 'date-time', 'email', 'uri']))
    const named = (name: RegExp) => properties.filter(({ path }) => name.test(path)).map(({ property }) => property)
    expect(named(/Request.*\/ndc$|Prescription\/properties\/ndc$/).length).toBeGreaterThan(2)
    for (const { pattern = '' } of named(/Request.*\/ndc$|Prescription\/properties\/ndc$/)) {
      expect('00000-0000-00').toMatch(new RegExp(pattern))
      expect('123').not.toMatch(new RegExp(pattern))
    }
    const dateTimes = named(/\/(date_created|prescription_date)$/)
    expect(dateTimes.length).toBeGreaterThan(5)
    for (const property of dateTimes) {
      expect(property.anyOf).toEqual([
        { type: 'string', format: 'date-time' },
        { type: 'string', format: 'date-time-local', pattern: expect.stringContaining('T') },
      ])
      expect(faults(property, '2026-01-01T10:00:00')).toBe('')
      expect(faults(property, '2026-01-01T10:00:00Z')).toBe('')
      expect(faults(property, '2026-13-01T10:00:00')).not.toBe('')
    }
  })

  it('types every alternative, for type generators', () => {
    const bare = [...JSON.stringify(openApi.components).matchAll(/\{"required":\[[^\]]*\]\}/g)]
    expect(bare.map(([found]) => found)).toEqual([])
    const { allOf, anyOf } = openApi.components.schemas.PriorAuthorizationRequest as {
      allOf?: object[]
      anyOf?: object
    }
    expect(anyOf).toBeUndefined()
    expect(allOf).toEqual([
      { anyOf: [expect.objectContaining({ type: 'object' }), expect.objectContaining({ type: 'object' })] },
    ])
  })

  it('states which fields belong together', () => {
    const ref = { $ref: '#/components/schemas/PriorAuthorizationRequest' }
    expect(faults(ref, priorAuthorization())).toBe('')
    const { insurance_content: _none, ...uninsured } = priorAuthorization()
    expect(faults(ref, uninsured)).toContain('insurance')
    const twice = { title: 'x', date_created: '2026-01-01T00:00:00', content: 'x', asset: { file_content: 'eA==' } }
    expect(faults(ref, priorAuthorization({ evidence: [twice] }))).toContain('exactly one schema')
  })

  it('has request examples that the sandbox accepts, and answers as described', async () => {
    const { call, create, sandbox } = await startSandbox()
    const ids: Record<string, string> = {}
    for (const { name, method, route, described: operation } of described) {
      const media = mediaOf(operation.requestBody)
      const bodies = media === undefined ? [undefined] : Object.values(media.examples).map(({ value }) => value)
      for (const [index, body] of bodies.entries()) {
        const collection = route.split('/{id}')[0] ?? ''
        // A call that ends a resource gets a fresh one.
        const isAction = route.includes('{id}/')
        const id = isAction
          ? await create(collection, exampleOf(`POST ${collection}`, Object.keys(ids).length + index))
          : (ids[collection] ?? '')
        const verb = method.toLowerCase() as 'get' | 'post' | 'patch'
        const answer = await call(verb, route.replace('{id}', id), numbered(body, Object.keys(ids).length + index))
        const success = Object.keys(operation.responses).find((status) => status.startsWith('2'))
        expect([name, answer.status, answer.body]).toEqual([name, Number(success), answer.body])
        const schema = mediaOf(operation.responses[answer.status])?.schema
        if (schema === undefined) expect(answer.text).toBe('')
        else expect([name, faults(schema, answer.body)]).toEqual([name, ''])
        if (method === 'POST' && answer.body?.data?.id !== undefined) ids[route] = answer.body.data.id
      }
    }
    expect(sandbox.truth().prior_authorizations.length).toBeGreaterThan(2)
  })

  it("describes every failure with the sandbox's real status and body", async () => {
    const { call, sandbox } = await startSandbox()
    for (const { name, method, route, errors, described: operation } of described)
      for (const code of errors) {
        sandbox.controls.failNext({ operation: name, code })
        const verb = method.toLowerCase() as 'get' | 'post' | 'patch'
        const answer = await call(verb, route.replace('{id}', 'x'), {})
        const media = mediaOf(operation.responses[answer.status])
        expect([name, code, Object.keys(media?.examples ?? {})]).toEqual([name, code, expect.arrayContaining([code])])
        expect([name, code, faults(media?.schema ?? {}, answer.body)]).toEqual([name, code, ''])
      }
    for (const { name, route, method, described: operation } of described) {
      if (!route.startsWith('/prior-authorization/')) continue
      const body = mediaOf(operation.requestBody)
      const verb = method.toLowerCase() as 'get' | 'post' | 'patch'
      const answer = await call(verb, route.replace('{id}', 'x'), exampleBody(body))
      expect([name, answer.status]).toEqual([name, 404])
      const schema = mediaOf(operation.responses['404'])?.schema ?? {}
      expect([name, faults(schema, answer.body)]).toEqual([name, ''])
    }
  })

  it("describes every field of an answer, at every step of a resource's life", async () => {
    const { call, create, sandbox } = await startSandbox({ organizations: [{ id: 'org_a', pharmacy: true }] })
    const fields = { ndp_submission: ndpSubmission, trigger_benefit_verification: { enabled: true } }
    const mocks = [{ result: 'Approved' }, { result: 'Denied' }, { result: 'Other', trigger_message: true }] as const
    for (const [index, mock_result] of mocks.entries()) {
      const prescription_message_id = `rx-${index}`
      const pa = priorAuthorization({
        ...fields,
        mock_result,
        ndp_submission: { ...ndpSubmission, prescription_message_id },
      })
      await create('/prior-authorization', pa)
    }
    await create('/benefit-verification', exampleOf('POST /benefit-verification', 0))
    const cq = await create('/clinical-qualification', exampleOf('POST /clinical-qualification', 0))
    do {
      const { prior_authorizations, benefit_verifications } = sandbox.truth()
      for (const one of prior_authorizations) answerSchemas.PriorAuthorization.parse(one)
      for (const one of benefit_verifications) answerSchemas.BenefitVerification.parse(one)
      const { body } = await call('get', `/clinical-qualification/${cq}`).expect(200)
      answerSchemas.ClinicalQualification.parse(body.data)
    } while (sandbox.controls.step() !== undefined)
  })
})

interface Property {
  path: string
  property: {
    description?: string
    format?: string
    pattern?: string
    type?: string | string[]
    enum?: unknown[]
    const?: unknown
    anyOf?: Property['property'][]
    default?: unknown
    examples?: unknown[]
  }
}

/** Every property of every schema in a document, wherever the schema stands; what stands in examples is none. */
function propertiesIn(value: unknown, path = ''): Property[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'example' || key === 'examples') return []
    const place = `${path}/${key}`
    // A branch without a type only says which of the properties belong together.
    const isSchema = key === 'properties' && 'type' in value
    const own = isSchema
      ? Object.entries(inner).map(([name, property]) => ({ path: `${place}/${name}`, property }))
      : []
    // The compiler cannot see that what stands under `properties` are schemas.
    return [...(own as Property[]), ...propertiesIn(inner, place)]
  })
}

/** Whether a property holds text or a number that the schema does not list. */
function isOfOwnWords({ type, enum: listed, const: fixed, anyOf = [] }: Property['property']): boolean {
  if (listed !== undefined || fixed !== undefined) return false
  const types = [type ?? []].flat()
  return types.some((one) => ['string', 'number', 'integer'].includes(one)) || anyOf.some(isOfOwnWords)
}

function exampleBody(media: Media | undefined): object {
  return Object.values(media?.examples ?? {})[0]?.value ?? {}
}

function exampleOf(name: string, number: number): object {
  return numbered(exampleBody(mediaOf(described.find((one) => one.name === name)?.described.requestBody)), number) ?? {}
}

/** A prescription belongs to one PA. */
function numbered(body: unknown, number: number): object | undefined {
  return body === undefined
    ? undefined
    : JSON.parse(JSON.stringify(body).replace('rx-0001', `rx-${number}-${Math.random()}`))
}

describe('the AsyncAPI document', () => {
  it('is served without a token', async () => {
    const { sandbox } = await startSandbox()
    const { body } = await request(sandbox.app).get('/asyncapi.json').expect(200)
    expect(body).toEqual(asyncApi)
  })

  it.skipIf(asyncApiParser === undefined)('passes the validator', async () => {
    const { document, diagnostics = [] } = (await asyncApiParser?.parse(JSON.stringify(createAsyncApi()))) ?? {}
    // The rest are hints: 0 and 1 are errors and warnings.
    expect(diagnostics.filter(({ severity }) => severity <= 1)).toEqual([])
    expect(document?.version()).toBe('3.0.0')
  })

  it('describes every event type, with a valid example', () => {
    const messages = Object.values(asyncApi.components.messages)
    expect(messages.map(({ name }) => name)).toEqual([...eventTypes])
    for (const { name, payload, examples } of messages)
      for (const example of examples) expect([name, faults(payload, example.payload)]).toEqual([name, ''])
  })

  it('matches the webhooks that are really sent', async () => {
    const { receiver, webhook } = await startWebhook({ events: [...eventTypes] })
    const { create, sandbox } = await startSandbox({
      organizations: [{ id: 'org_a', pharmacy: true, webhooks: [webhook] }],
    })
    await create('/prior-authorization', priorAuthorization({ ndp_submission: ndpSubmission }))
    const { mock_result: _none, ...unmocked } = priorAuthorization()
    const provider = { ...unmocked.provider, fax: '5555550101' }
    await create('/prior-authorization', { ...unmocked, provider, provider_outreach: { enabled: true } })
    await create('/benefit-verification', exampleOf('POST /benefit-verification', 0))
    while (sandbox.controls.step() !== undefined);
    const [pa] = sandbox.truth().prior_authorizations
    sandbox.controls.addMessage(pa?.id ?? '', { content: 'Hello' })
    await sandbox.settled()
    expect(new Set(receiver.types())).toEqual(new Set(eventTypes))
    const payloads = new Map(Object.values(asyncApi.components.messages).map(({ name, payload }) => [name, payload]))
    for (const { envelope } of receiver.received) {
      const type = envelope.event_type
      expect([type, faults(payloads.get(type) ?? { not: {} }, envelope)]).toEqual([type, ''])
    }
  })
})
