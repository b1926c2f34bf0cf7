import { findUnknown, shownCode, shownName, type Unknown } from '../schemas/drift.ts'
import { eventKinds, isEventType } from './event-types.ts'
import { type Envelope, WebhookEnvelope } from '../schemas/envelope.ts'

/** Known claims of a token: the registered ones (RFC 7519, 4.1), and the body digests that pawl checks. */
const knownClaims: ReadonlySet<string> = new Set([
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'body_sha256',
  'request_body_sha256',
])

/** The parts of a delivery unknown to pawl: event type, envelope fields, token claims, and fields and codes of its data. */
export function findDrift(envelope: Envelope, claims: readonly string[]): Unknown[] {
  const { event_type: type, data } = envelope
  const named = (kind: 'envelope_field' | 'claim', names: readonly string[]): Unknown[] =>
    names.map((name) => ({ kind, name: shownName(name), value: '' }))
  return [
    ...(isEventType(type) ? [] : [{ kind: 'event_type' as const, name: 'event_type', value: shownCode(type) }]),
    ...named(
      'envelope_field',
      Object.keys(envelope).filter((name) => !Object.hasOwn(WebhookEnvelope.shape, name)),
    ),
    ...named(
      'claim',
      claims.filter((name) => !knownClaims.has(name)),
    ),
    ...(isEventType(type) ? findUnknown(eventKinds[type], data) : []),
  ]
}
