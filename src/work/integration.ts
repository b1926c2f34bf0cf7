import type { AnyHandler } from './handler.ts'
import type { Given, OwnSettings, OwnSystems } from './register.ts'

/** What a fork adds to pawl: see src/integration/index.ts. */
export interface Integration<Own extends OwnSettings, Systems extends OwnSystems> {
  settings: Own
  systems: (given: Given<Own>) => Systems
  handlers: readonly AnyHandler[]
}

/** An integration with whatever settings and systems, as the gateway holds it: it calls `systems` with the values of the very settings. */
export type AnyIntegration = Omit<Integration<OwnSettings, OwnSystems>, 'systems'> & {
  systems: (given: never) => OwnSystems
}

/** Declares the integration. */
export function defineIntegration<const Own extends OwnSettings, Systems extends OwnSystems>(
  integration: Integration<Own, Systems>,
): Integration<Own, Systems> {
  return integration
}
