/** Exports of `#pawl`: the API for handlers and the integration. */
export { defineHandler } from './work/handler.ts'
export type { Effect, EffectStart, EventHint, Handler, HandlerContext } from './work/handler.ts'
export { defineIntegration } from './work/integration.ts'
export type { AnyIntegration, Integration } from './work/integration.ts'
export type { HandlerMemory } from './work/handler-memory.ts'
// As a whole, so that the integration can extend `Register`.
export * from './work/register.ts'
export type {
  BenefitVerificationChanges,
  Change,
  PriorAuthorizationChanges,
  ProviderOutreachChanges,
} from './work/changes.ts'
export { eventKinds } from 'pawl-client/events/event-types'
export type { EventType, ResourceOf } from 'pawl-client/events/event-types'
export type { ProviderOutreach } from 'pawl-client/schemas/provider-outreach'
export * from 'pawl-client'
export type { RequestDraft, RequestGap } from 'pawl-client/schemas/request-draft'
export type { System } from '@pawl/connector/system'
export type { Log } from '@pawl/base/log'
