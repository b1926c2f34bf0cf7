import type { ResourceKind, ResourceOfKind } from '../schemas/kinds.ts'

/** Every event type of the specification (Events) with its kind of resource. Event types and kinds derive from this object. */
export const eventKinds = {
  'benefit_verification.status_change': 'benefit_verification',
  'prior_authorization.status_change': 'prior_authorization',
  'prior_authorization.activity_log_updated': 'prior_authorization',
  'prior_authorization.message': 'prior_authorization',
  'prior_authorization.prescription_transfer_change': 'prior_authorization',
  'prior_authorization.real_time_benefits_check_change': 'prior_authorization',
  'prior_authorization.provider_outreach_change': 'provider_outreach',
} as const satisfies Record<string, ResourceKind>

export type EventType = keyof typeof eventKinds
export type KindOf<T extends EventType> = (typeof eventKinds)[T]
export type ResourceOf<T extends EventType> = ResourceOfKind<KindOf<T>>

/** The event types about one kind, of those in `T`. */
export type EventTypeOf<K extends ResourceKind, T extends EventType = EventType> = {
  [Type in T]: KindOf<Type> extends K ? Type : never
}[T]

/** Whether it is a documented type; unknown types are stored and shown, never handled (docs/design.md, rule 10). */
export function isEventType(type: string): type is EventType {
  return Object.hasOwn(eventKinds, type)
}
