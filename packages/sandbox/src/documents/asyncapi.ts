import { z } from 'zod'
import { type JsonSchema, refTo } from '@pawl/base/openapi-components'
import { WebhookEnvelope } from 'pawl-client/schemas/envelope'
import * as answers from './answer-examples.ts'
import { componentSchemas } from './component-schemas.ts'
import { type AnswerName, answerSchemas } from './schemas.ts'
import type { SandboxEventType } from '../webhooks/settings.ts'
import { wording } from '../webhooks/webhooks.ts'

type Json = Record<string, unknown>

interface EventText {
  data: AnswerName
  example: unknown
  /** When it is sent (specification, Events). */
  when: string
}

const transferred = answers.approvedPriorAuthorization

const events: Record<SandboxEventType, EventText> = {
  'benefit_verification.status_change': {
    data: 'BenefitVerification',
    example: answers.completedBenefitVerification,
    when: 'A benefit verification is completed or has failed; a single event.',
  },
  'prior_authorization.status_change': {
    data: 'PriorAuthorization',
    example: answers.createdPriorAuthorization,
    when: 'A prior authorization is created, its status changes, or certain information about its outcome does.',
  },
  'prior_authorization.activity_log_updated': {
    data: 'PriorAuthorization',
    example: transferred,
    when: 'The activity log changes. Only webhooks that name this type receive it.',
  },
  'prior_authorization.message': {
    data: 'PriorAuthorization',
    example: transferred,
    when: 'A message is added to the thread, by either side; `data` is the whole prior authorization.',
  },
  'prior_authorization.prescription_transfer_change': {
    data: 'PriorAuthorization',
    example: transferred,
    when: 'An attempt, a confirmation, the completion or the end of a prescription transfer is recorded.',
  },
  'prior_authorization.real_time_benefits_check_change': {
    data: 'PriorAuthorization',
    example: transferred,
    when: 'A real-time benefits check is completed; at any status.',
  },
  'prior_authorization.provider_outreach_change': {
    data: 'ProviderOutreach',
    example: answers.sentProviderOutreach,
    when: 'An outreach attempt is created or changes, or its sequence ends (beta). Only webhooks that name this type receive it.',
  },
}

/** `prior_authorization.status_change` becomes `priorAuthorizationStatusChange`, because keys have no dots. */
const keyOf = (type: string) => type.replaceAll(/[._]([a-z])/g, (_match, letter: string) => letter.toUpperCase())

/** The message of each event type, and the schemas they refer to. */
export function describeEvents() {
  const all = Object.entries(events)
  const payloads = Object.fromEntries(all.map(([type, { data }]) => [type, payloadOf(type, data)]))
  const schemas = componentSchemas(payloads)
  const messages = all.map(([type, text]) => messageOf(type, text, schemas[type]))
  for (const type of Object.keys(payloads)) delete schemas[type]
  return { messages, schemas }
}

/** The AsyncAPI 3 document of the webhooks. */
export function createAsyncApi(): Json {
  const all = Object.entries(events)
  const { messages, schemas } = describeEvents()
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Webhooks of the prior authorization and benefit verification service (sandbox)',
      version: '1.0',
      description:
        'Each event is one HTTP POST to the URL of every webhook that receives its type. Any 2xx acknowledges it; after anything else it is sent again later, byte for byte the same. Deliveries can be repeated, late or out of order, and the envelope has no id to tell. Treat types, statuses and fields that are not named here as possible.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels: {
      webhook: {
        address: null,
        title: 'The URL of a webhook',
        description: 'Chosen by the organization, with a secret and the event types to receive.',
        messages: Object.fromEntries(
          all.map(([type]) => [keyOf(type), { $ref: `#/components/messages/${keyOf(type)}` }]),
        ),
      },
    },
    operations: {
      deliver: {
        action: 'send',
        summary: 'Delivers an event.',
        channel: { $ref: '#/channels/webhook' },
        security: [{ $ref: '#/components/securitySchemes/webhookSecret' }],
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
        messages: all.map(([type]) => ({ $ref: `#/channels/webhook/messages/${keyOf(type)}` })),
      },
    },
    components: {
      messages: Object.fromEntries(messages.map((message) => [keyOf(message.name), message])),
      schemas: { ...schemas, WebhookHeaders: webhookHeaders },
      securitySchemes: {
        webhookSecret: {
          type: 'httpApiKey',
          name: 'X-Webhook-Secret',
          in: 'header',
          description: 'A JWT, signed with HS256 and the secret of the webhook. It proves who sent, not what was sent.',
        },
      },
    },
  }
}

const webhookHeaders = {
  type: 'object',
  properties: {
    'Content-Type': { const: 'application/json', description: 'The body is JSON.' },
    'X-Webhook-Secret': {
      type: 'string',
      description:
        'A JWT, signed with HS256 and the secret of the webhook. Here its claims are `iat`, `exp` (five minutes later) and, where the webhook asks for it, `body_sha256` with the hex SHA-256 of the body.',
    },
  },
  required: ['Content-Type', 'X-Webhook-Secret'],
} as const

/** The envelope of one event type, with its resource. */
function payloadOf(type: string, data: AnswerName): z.ZodType {
  const { shape } = WebhookEnvelope
  const resource: z.ZodType = answerSchemas[data]
  const envelope = WebhookEnvelope.extend({
    event_type: z.literal(type).meta({ description: shape.event_type.description }),
    data: resource.meta({ description: shape.data.description }),
  })
  const extra = { event_id: true, occurred_at: true } as const
  return data === 'ProviderOutreach' ? envelope.required(extra) : envelope.omit(extra)
}

function messageOf(type: string, { data, example, when }: EventText, payload: JsonSchema = {}) {
  // The compiler cannot see that the keys of `events` are event types.
  const { title, description } = wording[type as SandboxEventType]
  const isOutreach = data === 'ProviderOutreach'
  return {
    name: type,
    title,
    summary: when,
    contentType: 'application/json',
    headers: refTo('WebhookHeaders'),
    payload,
    examples: [
      {
        name: 'example',
        headers: { 'Content-Type': 'application/json', 'X-Webhook-Secret': '<JWT>' },
        payload: {
          title,
          description,
          event_type: type,
          ...(isOutreach ? { event_id: 'wh_evt_a1b2c3d4e5f6g7h8i9j0', occurred_at: '2026-03-02T12:05:00.000Z' } : {}),
          data: example,
        },
      },
    ],
  }
}
