import { documentedErrors, type ErrorCode, codesNamingAnother } from 'pawl-client/schemas/documented-errors'
import { saidIn } from 'pawl-client/schemas/said'
import { commonErrors, nameOf, type Operation, operations } from '../platform/operations.ts'
import { remedies, uncodedRemedies } from './error-texts.ts'
import { type OperationText, operationTexts } from './operation-texts.ts'
import { refTo } from '@pawl/base/openapi-components'
import { describeEvents } from './asyncapi.ts'
import { referenceTexts } from './reference-texts.ts'
import { componentSchemas } from './component-schemas.ts'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of the sandbox, without its controls. */
export function createOpenApi(): Json {
  const paths: Record<string, Json> = {}
  for (const operation of operations)
    (paths[operation.route] ??= {})[operation.method.toLowerCase()] = describe(operation)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Prior authorization and benefit verification service (sandbox)',
      version: '1.0',
      description:
        'A local copy of the service. Answers can grow: treat fields, statuses and codes that are not named here as possible.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This sandbox' }],
    security: [{ apiToken: [] }],
    tags: [
      ...[...new Set(Object.values(operationTexts).map(({ tag }) => tag))].map((name) => ({ name })),
      ...referenceTexts(),
    ],
    paths,
    webhooks: Object.fromEntries(
      describeEvents().messages.map((message) => [message.name, { post: webhookOf(message) }]),
    ),
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        apiToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'An API token of the organization.',
        },
      },
      headers: limitHeaders,
      parameters: {
        Id: {
          name: 'id',
          in: 'path',
          required: true,
          description: 'Id of the resource, from the answer to its creation. Another organization gets 404.',
          schema: { type: 'string' },
        },
      },
    },
  }
}

/** Also in the AsyncAPI document, whose readers do not need this one. */
function webhookOf({ title, summary, payload, examples }: ReturnType<typeof describeEvents>['messages'][number]): Json {
  return {
    summary: title,
    description: `${summary} The header \`X-Webhook-Secret\` holds a JWT, signed with HS256 and the secret of the webhook.`,
    security: [],
    requestBody: {
      required: true,
      content: json(payload, Object.fromEntries(examples.map(({ name, payload: value }) => [name, value]))),
    },
    responses: { '2XX': { description: 'Acknowledges the event. After anything else it is sent again later.' } },
  }
}

/** Structured fields (specification, Limits 4). */
const limitHeaders = {
  'RateLimit-Policy': {
    description: 'Every policy that applies: quota `q`, window `w` in seconds, and `dh-unit` where drugs are counted.',
    schema: { type: 'string' },
    example: '"write-endpoint-minute";q=600;w=60, "bv-drug-24h";q=5000;w=86400;dh-unit="drug"',
  },
  RateLimit: {
    description: 'Of every policy: units left `r`, and seconds `t` until the quota is whole again.',
    schema: { type: 'string' },
    example: '"write-endpoint-minute";r=599;t=60, "bv-drug-24h";r=4998;t=86400',
  },
  'Retry-After': {
    description: 'Seconds to wait at least; wins over `t`. Add jitter to concurrent retries.',
    schema: { type: 'integer', minimum: 1 },
    example: 30,
  },
} as const

function describe(operation: Operation): Json {
  const text = operationTexts[nameOf(operation)]
  if (text === undefined) throw new Error(`operation-texts.ts has no entry for ${nameOf(operation)}.`)
  const { tag, summary, description, body } = text
  const notes = [description, operation.unreleased && 'Unreleased: announced only, subject to change.']
  return {
    operationId: operationId(operation),
    tags: [tag],
    summary,
    ...(notes.some(Boolean) ? { description: notes.filter(Boolean).join(' ') } : {}),
    ...(operation.route.includes('{id}') ? { parameters: [{ $ref: '#/components/parameters/Id' }] } : {}),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: json(refTo(body.schema), body.examples),
          },
        }),
    responses: { [text.success.status]: successOf(text), ...failuresOf(operation, text) },
  }
}

/** Such as `postPriorAuthorizationCancel`. */
function operationId({ method, route }: Operation): string {
  const words = route.split(/[^a-z]+/).filter((word) => word !== '' && word !== 'id')
  return (
    [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('') +
    (route.endsWith('{id}') ? 'ById' : '')
  )
}

const headers = (...names: (keyof typeof limitHeaders)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const json = (schema: Json, examples: Record<string, unknown>) =>
  jsonWith(schema, Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])))

const jsonWith = (schema: Json, examples: Record<string, { value: unknown; description?: string }>) => ({
  'application/json': { schema, examples },
})

const said = saidIn('specification, Endpoints')

function successOf({ success }: OperationText): Json {
  const common = { headers: headers('RateLimit-Policy', 'RateLimit') }
  if (success.status === 204) return { description: 'Done; there is no body.', ...common }
  const { bare, data, isList, example } = success
  if (bare !== undefined) {
    const schema = isList === true ? { type: 'array', items: refTo(bare) } : refTo(bare)
    return { description: 'Done.', ...common, content: json(schema, { success: example }) }
  }
  const isStatus = data === 'ServiceStatus'
  const schema = {
    type: 'object',
    properties: {
      status: { const: 'success', ...said('Tells success from failure.') },
      ...(isStatus ? { error: { type: 'null', ...said('Always null here.') } } : {}),
      ...(data === undefined ? {} : { data: { ...refTo(data), ...said('The requested or created resource.') } }),
    },
    required: ['status', ...(isStatus ? ['error'] : []), ...(data === undefined ? [] : ['data'])],
  }
  const body = {
    status: 'success',
    ...(isStatus ? { error: null } : {}),
    ...(data === undefined ? {} : { data: example }),
  }
  return { description: 'Done.', ...common, content: json(schema, { success: body }) }
}

interface Failure {
  schema: 'CodedError' | 'DetailError' | 'ValidationError'
  name: string
  example: unknown
  /** Action for the caller. */
  remedy: string
}

/** All documented failures, by HTTP status. */
function failuresOf({ errors, route, method }: Operation, { detail }: OperationText): Record<string, Json> {
  const byStatus = new Map<number, Failure[]>()
  const add = (status: number, failure: Failure) => byStatus.set(status, [...(byStatus.get(status) ?? []), failure])
  for (const code of [...commonErrors, ...errors]) add(documentedErrors[code][0], coded(code))
  for (const [status, message] of Object.entries(detail ?? {}))
    add(Number(status), {
      schema: 'DetailError',
      name: 'detail',
      example: { detail: message },
      remedy: uncodedRemedies.DetailError,
    })
  if (method !== 'GET' || route.includes('{id}')) add(422, invalid)
  add(429, exceeded)
  return Object.fromEntries([...byStatus].map(([status, failures]) => [status, failureResponse(status, failures)]))
}

function coded(code: ErrorCode): Failure {
  const [, title, description] = documentedErrors[code]
  const extra = codesNamingAnother.has(code) ? { existing_prior_auth_request_id: 'pa_req_a1b2c3d4e5f6g7h8i9j0' } : {}
  return {
    schema: 'CodedError',
    name: code,
    example: { status: 'error', error: { title, description, code, ...extra } },
    remedy: remedies[code],
  }
}

const invalid: Failure = {
  schema: 'ValidationError',
  name: 'validation',
  example: { detail: [{ loc: ['body', 'patient', 'first_name'], msg: 'Field required', type: 'missing' }] },
  remedy: uncodedRemedies.ValidationError,
}

const exceeded: Failure = {
  schema: 'CodedError',
  name: 'rate_limit_exceeded',
  example: {
    status: 'error',
    error: {
      title: 'Rate limit exceeded',
      description: 'A rate limit of the organization is used up; wait at least Retry-After seconds.',
      code: 'rate_limit_exceeded',
    },
  },
  remedy: remedies.rate_limit_exceeded,
}

/** Descriptions of error shapes without a code. */
const words: Partial<Record<Failure['schema'], string>> = {
  DetailError: 'a sentence with the reason',
  ValidationError: 'every fault of the request',
}

function failureResponse(status: number, failures: Failure[]): Json {
  const schemas = [...new Set(failures.map(({ schema }) => schema))].map(refTo)
  const [only] = schemas
  const names = failures.map(({ name, schema }) => words[schema] ?? name)
  return {
    description: `${names.join(', ')}.`,
    headers: headers('RateLimit-Policy', 'RateLimit', ...(status === 429 ? (['Retry-After'] as const) : [])),
    content: jsonWith(
      schemas.length === 1 && only !== undefined ? only : { oneOf: schemas },
      Object.fromEntries(failures.map(({ name, example, remedy }) => [name, { value: example, description: remedy }])),
    ),
  }
}
