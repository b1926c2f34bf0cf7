import { z } from 'zod'
import { refTo, toComponents } from '@pawl/base/openapi-components'
import { ValidationError } from 'pawl-client/schemas/documented-errors'
import { CodedRefusal } from '../platform/refusal.ts'
import type { Control } from '../platform/control.ts'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of the controls, from the schemas that their routes read. */
export function createControlOpenApi(controls: readonly Control[]): Json {
  const names = new Map<z.ZodType, string>([
    [CodedRefusal, 'CodedError'],
    [ValidationError, 'ValidationError'],
  ])
  for (const control of controls) {
    const body = bodyOf(control)
    if (body !== undefined && !names.has(body)) names.set(body, `${capital(operationId(control))}Body`)
  }
  const paths: Record<string, Json> = {}
  for (const control of controls)
    (paths[`/_sandbox${control.path.replaceAll(/:(\w+)/g, '{$1}')}`] ??= {})[control.method] = describe(
      control,
      (schema) => refTo(names.get(schema) ?? ''),
    )
  return {
    openapi: '3.1.0',
    info: {
      title: 'pawl sandbox, controls',
      version: '1.0',
      description: 'Moves the sandbox by hand. The controls need no token: mind who can reach the address.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This sandbox' }],
    security: [],
    paths,
    components: { schemas: toComponents(Object.fromEntries([...names].map(([schema, name]) => [name, schema]))) },
  }
}

const bodyOf = ({ text }: Control) => text.body ?? text.documentedBody

function describe(control: Control, ref: (schema: z.ZodType) => Json): Json {
  const { path, text } = control
  const { summary, isBodyOptional, query } = text
  const body = bodyOf(control)
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, parameter = '']) => ({
      name: parameter,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...queryOf(query),
  ]
  const json = (schema: Json) => ({ 'application/json': { schema } })
  const success = { type: 'object', properties: { status: { const: 'success' }, data: {} }, required: ['status'] }
  return {
    operationId: operationId(control),
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: isBodyOptional !== true, content: json(ref(body)) } }),
    responses: {
      200: { description: 'Done.', content: json(success) },
      422: { description: 'Names every fault of the request.', content: json(ref(ValidationError)) },
      default: { description: 'Refused; names the legal values.', content: json(ref(CodedRefusal)) },
    },
  }
}

function queryOf(query: z.ZodObject | undefined): Json[] {
  if (query === undefined) return []
  const { properties = {} } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }))
}

/** Such as `putOrganizationsByOrganizationQuotas`. */
function operationId({ method, path }: Control): string {
  const words = path.split('/').flatMap((part) => (part.startsWith(':') ? ['by', part.slice(1)] : part.split('-')))
  return method + words.map(capital).join('')
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
