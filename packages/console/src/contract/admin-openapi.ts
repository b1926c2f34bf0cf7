import { type JsonSchema, refTo, toComponents } from '@pawl/base/openapi-components'
import { ownPackage } from '@pawl/base/own-package'
import { roleNames, roles, type Right } from '@pawl/base/roles'
import { Figures } from '../report/report.ts'
import { AuditEntry } from './audit-contract.ts'
import { contract } from './contract.ts'
import { Event } from './resource-contract.ts'
import { actorHeader, commonErrors, ErrorAnswer, type ErrorCode, errorStatuses, type Route } from './route.ts'
import { Alert, AlertTarget } from './status-contract.ts'
import { StoryEntry } from './story.ts'
import { Pause } from './work-contract.ts'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of the JSON routes of the admin listener. */
export function createOpenApi(): { openapi: string } & Json {
  const routes: [name: string, route: Route][] = Object.entries(contract)
  const schemas = nameSchemas(routes)
  const names = new Map<object, string>(Object.entries(schemas).map(([name, schema]) => [schema, name]))
  const ref = (schema: object) => refTo(names.get(schema) ?? '')
  const paths: Record<string, Json> = {}
  for (const [name, route] of routes)
    (paths[route.path.replace(':id', '{id}')] ??= {})[route.method] = describe(name, route, ref)
  return {
    openapi: '3.1.0',
    info: {
      title: 'pawl, admin API',
      version: ownPackage().version,
      description:
        'Responses hold ids and codes; patient data only where a summary says so. Responses may get new fields: ignore unknown ones.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ password: [] }, {}],
    paths,
    components: {
      schemas: toComponents(schemas),
      securitySchemes: {
        password: {
          type: 'http',
          scheme: 'basic',
          description:
            'A user of ADMIN_USERS, or any name with ADMIN_PASSWORD. An open admin listener needs no credentials and answers only this machine.',
        },
      },
      parameters: {
        Id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
        Actor: {
          name: actorHeader,
          in: 'header',
          description: 'The name for the audit trail, if no credentials prove one. One word.',
          schema: { type: 'string', maxLength: 120 },
        },
      },
    },
  }
}

/** The named schemas, for generated clients. */
function nameSchemas(routes: readonly (readonly [string, Route])[]) {
  const own = routes.flatMap(([name, { answer, body }]) => {
    const noun = name.charAt(0).toUpperCase() + name.slice(1)
    return [[`${noun}Answer`, answer] as const, ...(body === undefined ? [] : [[`${noun}Request`, body] as const])]
  })
  // Routes with the same schema share its first name.
  const seen = new Set<object>()
  const first = own.filter(([, schema]) => !seen.has(schema) && seen.add(schema))
  return {
    ...Object.fromEntries(first),
    Alert,
    AlertTarget,
    AuditEntry,
    Error: ErrorAnswer,
    Event,
    Figures,
    Pause,
    StoryEntry,
  }
}

function describe(name: string, route: Route, ref: (schema: object) => Json): Json {
  const { path, needs, summary, query, body, answer, alsoStatus, alsoType, invalid } = route
  const success = { 'application/json': { schema: ref(answer) }, ...(alsoType && { [alsoType]: {} }) }
  const failures = failuresOf(route)
  const invalidStatus = errorStatuses[route.invalidCode ?? 'bad_request']
  return {
    operationId: name,
    summary,
    description: `Needs the right \`${needs}\`, which these roles have: ${rolesWith(needs).join(', ')}.`,
    parameters: [
      ...(path.includes(':id') ? [{ $ref: '#/components/parameters/Id' }] : []),
      { $ref: '#/components/parameters/Actor' },
      ...(query === undefined ? [] : parametersOf(toComponents({ query }).query ?? {})),
    ],
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: ref(body) } } },
    }),
    responses: {
      200: { description: 'Done.', content: success },
      ...Object.fromEntries(
        [...failures].map(([status, codes]) => [
          status,
          {
            description: `${codes.join(', ')}.${status === invalidStatus && invalid !== undefined ? ` ${invalid}` : ''}`,
            content: {
              'application/json': {
                schema: status === alsoStatus ? { oneOf: [ref(answer), refTo('Error')] } : refTo('Error'),
              },
            },
          },
        ]),
      ),
    },
  }
}

/** Codes of refusals by their status. */
function failuresOf({ query, body, errors = [], invalidCode = 'bad_request' }: Route): Map<number, ErrorCode[]> {
  const reading = query === undefined && body === undefined ? [] : [invalidCode]
  const codes = [...reading, ...errors, ...commonErrors]
  return new Map(
    codes.map((code) => {
      const status = errorStatuses[code]
      return [status, codes.filter((each) => errorStatuses[each] === status)]
    }),
  )
}

function parametersOf({ properties = {}, required = [] }: JsonSchema): Json[] {
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = typeof schema === 'object' ? schema : {}
    const isRequired = required.includes(name)
    return {
      name,
      in: 'query',
      ...(isRequired && { required: true }),
      ...(description && { description }),
      schema: rest,
    }
  })
}

function rolesWith(right: Right): string[] {
  return roleNames.filter((name) => roles[name].some((each) => each === right))
}
