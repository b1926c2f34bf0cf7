import type { ValuesOf } from '@pawl/base/setting-types'
import type { Schemas, Settings } from '../settings/environment.ts'
import type { System, SystemsByName } from '@pawl/connector/system'

/** Settings of an integration and its connectors: a zod schema per environment variable, which parses its text, or undefined. */
export type OwnSettings = Schemas

/** All settings by name, those of the integration included. */
export type AllSettings<Own extends OwnSettings> = Settings & ValuesOf<Own>

/** Argument of `systems`. */
export interface Given<Own extends OwnSettings = OwnSettings> {
  settings: AllSettings<Own>
}

/** Carries the integration's types to handlers: declare `interface Register` in module `#pawl` with its `settings`, `systems` and, if any, `logFields`. */
// eslint-disable-next-line typescript/no-empty-interface -- its members come from src/integration/index.ts
export interface Register {}

type RegisteredSystems = Register extends { systems: (given: never) => infer Systems } ? Systems : SystemsByName

/** A port of each registered system. */
export type Ports = {
  readonly [Name in keyof RegisteredSystems]: RegisteredSystems[Name] extends System<infer Port> ? Port : never
}

/** The values of the registered settings. */
export type RegisteredSettings = Register extends { settings: infer Own extends OwnSettings }
  ? AllSettings<Own>
  : Settings

/** The names of the log fields that the integration adds. */
export type RegisteredLogFields = Register extends { logFields: readonly (infer Name extends string)[] } ? Name : never
