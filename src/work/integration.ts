import type { AnyHandler } from './handler.ts'
import type { SystemsByName } from '@pawl/connector/system'
import type { Given, OwnSettings } from './register.ts'

/** The fork's additions: see src/integration/index.ts. */
export interface Integration<Own extends OwnSettings, Systems extends SystemsByName> {
  settings: Own
  /** Extra log fields: for ids, codes and numbers that never concern a patient. Text with spaces is not printed. */
  logFields?: readonly string[]
  systems: (given: Given<Own>) => Systems
  handlers: readonly AnyHandler[]
}

/** An integration with any settings and systems; the gateway calls `systems` with the values of those settings. */
export type AnyIntegration = Omit<Integration<OwnSettings, SystemsByName>, 'systems'> & {
  systems: (given: never) => SystemsByName
}

/** Declares the integration. */
export function defineIntegration<const Own extends OwnSettings, Systems extends SystemsByName>(
  integration: Integration<Own, Systems>,
): Integration<Own, Systems> {
  return integration
}

/** The systems of an integration; `settings` are the values parsed by its own schemas. */
export function systemsOf(integration: AnyIntegration, settings: object): SystemsByName {
  // The compiler cannot see that these values were parsed by the integration's own schemas.
  return integration.systems({ settings } as never)
}
