import type { AnyHandler } from './handler.ts'
import type { SystemsByName } from '../systems/system.ts'
import type { Given, OwnSettings } from './register.ts'

/** What a fork adds to pawl: see src/integration/index.ts. */
export interface Integration<Own extends OwnSettings, Systems extends SystemsByName> {
  settings: Own
  /** Names of fields that log lines may carry beside pawl's own: for ids, codes and numbers that are never about a patient; text with spaces is not printed. */
  logFields?: readonly string[]
  systems: (given: Given<Own>) => Systems
  handlers: readonly AnyHandler[]
}

/** An integration with whatever settings and systems, as the gateway holds it: it calls `systems` with the values of the very settings. */
export type AnyIntegration = Omit<Integration<OwnSettings, SystemsByName>, 'systems'> & {
  systems: (given: never) => SystemsByName
}

/** Declares the integration. */
export function defineIntegration<const Own extends OwnSettings, Systems extends SystemsByName>(
  integration: Integration<Own, Systems>,
): Integration<Own, Systems> {
  return integration
}

/** The systems of an integration; `settings` are the values that its own schemas gave. */
export function systemsOf(integration: AnyIntegration, settings: object): SystemsByName {
  // The compiler cannot see that these are the values of the very settings that the integration declares.
  return integration.systems({ settings } as never)
}
