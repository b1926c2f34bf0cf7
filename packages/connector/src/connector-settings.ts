import type { z } from 'zod'
import type { GivenSettings, ValuesOf } from '@pawl/base/setting-types'

/** A valid but unlikely setting. */
export interface SettingsWarning {
  /** A fixed sentence, for the log. */
  says: string
  todo: string
}

/** A connector's settings, with its system, credentials, checks and login. */
export interface ConnectorSettings<Name extends string, Values> {
  /** The system's usual name in an integration. */
  system: string
  /** The settings that let pawl in, the strongest last. */
  credentials?: readonly Name[]
  /** Reports faults that no setting shows alone. */
  check?(this: void, given: GivenSettings<Name>): void
  warn?(this: void, settings: Values, isProduction: boolean): SettingsWarning[]
  /** How pawl authenticates to the system, as in "to the EHR with a bearer token". */
  login?(this: void, settings: Values): string
}

/** Settings of any connector; `warn` and `login` are called with the values of its own settings. */
type AnyConnector = ConnectorSettings<string, never>

const connectors = new WeakMap<z.ZodType, AnyConnector>()

/** Declares the settings of a connector: an integration spreads them into its own, and `about` comes along. */
export function connectorSettings<Shape extends Readonly<Record<string, z.ZodType>>>(
  shape: Shape,
  about: ConnectorSettings<keyof Shape & string, ValuesOf<Shape>>,
): Shape {
  for (const schema of Object.values(shape)) connectors.set(schema, about)
  return shape
}

/** The connector that declares this setting, if any. */
export function connectorOf(schema: z.ZodType | undefined): AnyConnector | undefined {
  return schema && connectors.get(schema)
}

/** Each connector among these settings once. */
export function connectorsAmong(settings: Readonly<Record<string, z.ZodType>>): AnyConnector[] {
  return [...new Set(Object.values(settings).flatMap((schema) => connectorOf(schema) ?? []))]
}
