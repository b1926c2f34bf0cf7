import { alertsFrom } from '@pawl/console/alerts/settings'
import { ConfigInvalid } from '@pawl/base/errors'
import type { ValuesOf } from '@pawl/base/setting-types'
import { integrationFile } from '@pawl/base/integration-file'
import { staffFrom } from '@pawl/console/staff/staff-settings'
import { adminFrom } from '@pawl/console/settings'
import { keepFrom, sealingFrom } from '@pawl/ledger/settings'
import { apiFrom } from 'pawl-client/api/settings'
import { concurrencyOn } from '../work/settings.ts'
import { connectorsAmong } from '@pawl/connector/connector-settings'
import { findMisspelt } from './misspelt.ts'
import { Environment, isPlain, type Schemas, type Settings } from './environment.ts'
import {
  faultsBetween,
  faultsBetweenOwn,
  findFaults,
  isForks,
  parseSettings,
  settingAtFault,
  withoutEmpty,
} from './parse-settings.ts'

/** Validated, typed settings. */
export type Config = ReturnType<typeof toConfig>

type Env = Record<string, string | undefined>

/** Values of all settings by name, including the integration's, whose types are unknown here. */
type AllSettings = Settings & Record<string, unknown>

/** Reads the settings, with those that the integration adds (`own`); an empty one counts as absent. Throws `ConfigInvalid`. */
export function readConfig(env: Env): Config
export function readConfig<Own extends Schemas>(env: Env, own: Own): Config & { settings: ValuesOf<Own> }
export function readConfig(env: Env, own: Schemas = {}): Config {
  // The schema contains all of pawl's own settings; the extension hides them from the compiler.
  const settings = parseSettings(withOwnSettings(own), env, faultsBetween(own)) as AllSettings
  return toConfig(settings, withoutEmpty(env), own)
}

/** The settings of the integration and its systems, for commands that need neither webhooks nor the service. Throws `ConfigInvalid`. */
export function readSystemSettings(env: Env, own: Schemas = {}): AllSettings {
  // As in readConfig.
  return parseSettings(withOwnSettings(own), env, faultsBetweenOwn(own)) as AllSettings
}

/** Schema of pawl's settings and an integration's. Throws `ConfigInvalid` on a name clash. */
function withOwnSettings(own: Schemas) {
  for (const name of Object.keys(own)) {
    if (name in Environment.shape)
      throw new ConfigInvalid(`${name} is a setting of pawl itself: give yours in ${integrationFile()} another name.`)
    if (!/^[A-Z][A-Z0-9_]*$/.test(name))
      throw new ConfigInvalid(
        `${name} in ${integrationFile()} is not a valid name of a setting: use capitals, digits and _.`,
      )
  }
  return Environment.extend(own)
}

/** The valid settings, and the faults of the others. */
export interface InspectedConfig {
  /** Invalid settings count as absent. */
  config: Config
  /** Each begins with the name of its setting and a colon, and holds no value. */
  faults: readonly string[]
}

/** As `readConfig`, but returns faults instead of throwing. Throws `ConfigInvalid` if the integration declares invalid settings. */
export function inspectConfig(env: Env, own: Schemas = {}): InspectedConfig {
  const schema = withOwnSettings(own)
  const given = withoutEmpty(env)
  const faults = findFaults(schema, given, faultsBetween(own))
  const atFault = new Set(faults.map(settingAtFault))
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !atFault.has(name)))
  // Those of pawl and of connectors are optional; a fork's may be required.
  const optional = Object.entries(own).filter(([, each]) => each.safeParse(undefined).success)
  const settings = schema.safeParse(rest).data ?? withOwnSettings(Object.fromEntries(optional)).parse(rest)
  // As in readConfig.
  return { config: toConfig(settings as AllSettings, rest, own), faults }
}

function toConfig(settings: AllSettings, given: object, own: Schemas) {
  const schemas: Schemas = { ...Environment.shape, ...own }
  const connectors = connectorsAmong(own)
  const isProduction = settings.NODE_ENV === 'production'
  return {
    /** All values by name, for connectors and handlers. */
    settings,
    schemas,
    isProduction,
    role: settings.ROLE,
    /** Whether all work is paused from the start. */
    startPaused: settings.START_PAUSED,
    host: settings.HOST,
    port: settings.PORT,
    admin: adminFrom(settings),
    logLevel: settings.LOG_LEVEL,
    /** Destination of spans; undefined: none. */
    tracesEndpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    webhookSecrets: settings.WEBHOOK_SECRETS ?? [],
    maxInFlight: settings.MAX_IN_FLIGHT,
    maxInFlightBytes: settings.MAX_IN_FLIGHT_BYTES,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    maxConnectionsPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS,
    /** Addresses and networks that may deliver; undefined: all. */
    allowedAddresses: settings.ALLOWED_ADDRESSES,
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
    api: apiFrom(settings),
    databaseUrl: settings.DATABASE_URL,
    ...sealingFrom(settings),
    keep: keepFrom(settings),
    /** Address of Redis. */
    queueUrl: settings.QUEUE_URL,
    /** The server for the queue and rate budget of several processes: Redis, or else the ledger's PostgreSQL. */
    sharedUrl: settings.QUEUE_URL ?? (settings.DATABASE_URL.startsWith('file:') ? undefined : settings.DATABASE_URL),
    concurrency: settings.CONCURRENCY ?? concurrencyOn(settings.DATABASE_URL),
    restMs: settings.REST_MS,
    leaseMs: settings.LEASE_MS,
    retry: { maxAttempts: settings.RETRY_ATTEMPTS, baseMs: settings.RETRY_BASE_MS, maxMs: settings.RETRY_MAX_MS },
    breakerCooldownMs: settings.BREAKER_COOLDOWN_MS,
    sweepIntervalMs: settings.SWEEP_INTERVAL_MS,
    pollIntervalMs: settings.POLL_INTERVAL_MS,
    shutdownGraceMs: settings.SHUTDOWN_GRACE_MS,
    alerts: {
      ...alertsFrom(settings),
      /** Public address of the console. */
      adminUrl: settings.ADMIN_URL,
    },
    staff: staffFrom(settings),
    /** Address of a PA for people, with `{id}`, where the integration has that setting of a pharmacy. */
    caseUrl: typeof settings.CASE_URL === 'string' ? settings.CASE_URL : undefined,
    /** The name of the setting with pawl's credential, by system; absent if not set. */
    credentials: Object.fromEntries([
      ...(settings.API_TOKEN === undefined ? [] : [['api', 'API_TOKEN']]),
      ...connectors.flatMap(({ system, credentials = [] }) =>
        credentials.filter((name) => settings[name] !== undefined).map((name) => [system, name]),
      ),
    ]) as Record<string, string>,
    /** The connectors' warnings about unlikely settings. */
    connectorWarnings: connectors.flatMap(({ warn }) => warn?.(settings as never, isProduction) ?? []),
    /** How pawl authenticates to the systems of connectors. */
    logins: connectors.flatMap(({ login }) => login?.(settings as never) ?? []),
    sources: sourcesOf(settings, given, schemas),
    /** Names of settings with quotes, spaces or line breaks around the value. */
    wrapped: Object.entries(given).flatMap(([name, value]) =>
      name in schemas && isWrapped(String(value)) ? [name] : [],
    ),
    /** Variables that are no settings, but nearly named like one. */
    misspelt: findMisspelt(Object.keys(given), Object.keys(schemas)),
    /** The variable that names a proxy for outgoing requests, which pawl does not use. */
    unusedProxy: ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find((name) => name in given),
  }
}

/** Whether the value has its file's quotes or line ends, which Docker's `--env-file` keeps. */
function isWrapped(value: string): boolean {
  return value !== value.trim() || /^(["']).*\1$/s.test(value)
}

/** Source of a setting's value. */
interface SettingSource {
  name: string
  /** Absent unless it is pawl's or a connector's, and a number or one of fixed words. */
  value?: string
  source: 'environment' | 'default' | 'not set'
  /** Whether a fork declares it. */
  isOwn: boolean
}

/** Every setting by name, those of the integration last. */
function sourcesOf(settings: AllSettings, given: object, schemas: Schemas): readonly SettingSource[] {
  return Object.keys(schemas).map((name) => {
    const value: unknown = settings[name]
    const source = value === undefined ? 'not set' : 'default'
    const isOwn = isForks(name, schemas)
    const isScalar = typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
    const isShown = isScalar && !isOwn && isPlain(schemas[name])
    return {
      name,
      ...(isShown && { value: String(value) }),
      source: name in given ? 'environment' : source,
      isOwn,
    }
  })
}
