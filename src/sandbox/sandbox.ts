import type { Express } from 'express'
import type { BenefitVerification } from '../resources/benefit-verification.ts'
import type { PriorAuthorization } from '../resources/prior-authorization.ts'
import type { Controls } from './controls.ts'
import type { SandboxOptions } from './options.ts'

/** Every PA and BV of every organization, exactly as its GET returns it now, oldest first. */
export interface Truth {
  prior_authorizations: PriorAuthorization[]
  benefit_verifications: BenefitVerification[]
}

/** A stateful local copy of the service. */
export interface Sandbox {
  /** The service's API at `/`, the controls under `/_sandbox/`. */
  app: Express
  /** The seed in use. */
  seed: number
  controls: Controls
  /** A new API token (JWT) of the organization; default the first one. Throws `Refusal` for an unknown organization. */
  issueToken(organization?: string): Promise<string>
  /** Listens on a port of 127.0.0.1 (default: a free one). `close` stops this listener only. */
  listen(port?: number): Promise<{ url: string; close(): Promise<void> }>
  truth(): Truth
  /** Resolves once no transition is scheduled and no delivery is pending, rejects when the sandbox closes first. */
  settled(): Promise<void>
  /** Stops listeners, timers and deliveries; safe to call twice. */
  close(): Promise<void>
}

/** Makes a sandbox; nothing listens until `listen`. */
export function createSandbox(_options: SandboxOptions = {}): Sandbox {
  throw new Error('The sandbox is being built.')
}
