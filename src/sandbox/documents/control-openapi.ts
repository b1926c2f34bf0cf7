import { z } from 'zod'
import { refTo, toComponents } from '../../base/openapi-components.ts'
import { ValidationError } from '../../service/schemas/documented-errors.ts'
import { accessControlTexts } from '../access/controls.ts'
import { caseControlTexts } from '../cases/controls.ts'
import { CodedRefusal } from '../platform/refusal.ts'
import type { ControlText, ControlTexts } from '../platform/control-texts.ts'
import { platformControlTexts } from '../platform/controls.ts'
import { priorAuthorizationControlTexts } from '../prior-authorization/controls.ts'
import { providerControlTexts } from '../provider/controls.ts'
import { providerOutreachControlTexts } from '../provider-outreach/controls.ts'
import { requestControlTexts } from '../requests/controls.ts'
import { resetControlTexts } from '../reset.ts'
import { resourceControlTexts } from '../resource-controls.ts'
import { snapshotControlTexts } from '../snapshots/controls.ts'
import { scenarioTexts } from '../scenarios/routes.ts'
import { webhookControlTexts } from '../webhooks/controls.ts'
import { ownDeliveryTexts } from '../webhooks/own-delivery.ts'

type Json = Record<string, unknown>

const controlTexts: ControlTexts = {
  ...resourceControlTexts,
  ...caseControlTexts,
  ...priorAuthorizationControlTexts,
  ...providerOutreachControlTexts,
  ...scenarioTexts,
  ...webhookControlTexts,
  ...ownDeliveryTexts,
  ...requestControlTexts,
  ...platformControlTexts,
  ...accessControlTexts,
  ...providerControlTexts,
  ...snapshotControlTexts,
  ...resetControlTexts,
}

/** The OpenAPI 3.1 document of the controls, from the schemas that their routes read. */
export function createControlOpenApi(): Json {
  const controls = Object.entries(controlTexts).map(([route, text]) => {
    const [method = '', path = ''] = route.split(' ')
    return { method, path, name: operationId(method, path), text }
  })
  const names = new Map<z.ZodType, string>([
    [CodedRefusal, 'CodedError'],
    [ValidationError, 'ValidationError'],
  ])
  for (const { name, text } of controls)
    if (text.body !== undefined && !names.has(text.body)) names.set(text.body, `${capital(name)}Body`)
  const paths: Record<string, Json> = {}
  for (const { method, path, name, text } of controls)
    (paths[`/_sandbox${path.replaceAll(/:(\w+)/g, '{$1}')}`] ??= {})[method.toLowerCase()] = describe(
      { path, name, text },
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

function describe(
  { path, name, text }: { path: string; name: string; text: ControlText },
  ref: (schema: z.ZodType) => Json,
): Json {
  const { summary, body, isBodyOptional, query } = text
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
    operationId: name,
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
function operationId(method: string, path: string): string {
  const words = path.split('/').flatMap((part) => (part.startsWith(':') ? ['by', part.slice(1)] : part.split('-')))
  return method.toLowerCase() + words.map(capital).join('')
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
