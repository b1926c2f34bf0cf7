import type { AnyHandler } from './handler.ts'
import type { Given, OwnSettings, OwnSystems } from './register.ts'

/** What a fork adds to pawl: see src/integration/index.ts. */
export interface Integration<Own extends OwnSettings = OwnSettings, Systems extends OwnSystems = OwnSystems> {
  settings: Own
  systems: (given: Given<Own>) => Systems
  handlers: readonly AnyHandler[]
}

/** Declares the integration. */
export function defineIntegration<const Own extends OwnSettings, Systems extends OwnSystems>(
  integration: Integration<Own, Systems>,
): Integration<Own, Systems> {
  return integration
}
