import * as answers from './answer-examples.ts'
import { saidIn } from '../../service/schemas/said.ts'
import { refTo } from '../../base/openapi-components.ts'
import { componentSchemas } from './component-schemas.ts'
import type { AnswerName } from './schemas.ts'
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

/** `prior_authorization.status_change` becomes `priorAuthorizationStatusChange`, as keys have no dots. */
const keyOf = (type: string) => type.replaceAll(/[._]([a-z])/g, (_match, letter: string) => letter.toUpperCase())

/** The AsyncAPI 3 document of the webhooks. */
export function createAsyncApi(): Json {
  const all = Object.entries(events)
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
      messages: Object.fromEntries(all.map(([type, text]) => [keyOf(type), messageOf(type, text)])),
      schemas: { ...componentSchemas(), WebhookHeaders: webhookHeaders },
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

const said = saidIn('specification, Events')
const more = saidIn('supplement, Webhooks')

/** Extra fields in the envelope of an outreach event. */
const outreachEnvelope = {
  event_id: {
    type: 'string',
    ...more('Id of the event: `wh_evt_` and letters and digits.', { examples: ['wh_evt_a1b2c3d4e5f6g7h8i9j0'] }),
  },
  occurred_at: {
    type: 'string',
    format: 'date-time',
    ...more('When it happened.', { examples: ['2026-03-02T12:05:00.000Z'] }),
  },
}

function messageOf(type: string, { data, example, when }: EventText): Json {
  // The compiler cannot see that the keys of `events` are event types.
  const { title, description } = wording[type as SandboxEventType]
  const isOutreach = data === 'ProviderOutreach'
  return {
    name: type,
    title,
    summary: when,
    contentType: 'application/json',
    headers: refTo('WebhookHeaders'),
    payload: {
      type: 'object',
      properties: {
        title: { type: 'string', ...said('The event in a few words.', { examples: ['Prior Authorization Updated'] }) },
        description: {
          type: 'string',
          ...said('The event in a sentence for people.', { examples: ['The prior authorization has changed.'] }),
        },
        event_type: { const: type, ...said('The type of the event.') },
        ...(isOutreach ? outreachEnvelope : {}),
        data: {
          ...refTo(data),
          ...said('The whole resource as it was when the event was sent, as GET gives it.'),
        },
      },
      required: ['title', 'description', 'event_type', ...(isOutreach ? ['event_id', 'occurred_at'] : []), 'data'],
    },
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
