import { z } from 'zod'
import { isAddressRange } from '../base/net/address-ranges.ts'
import { PawlError } from '../base/errors.ts'
import { findMissing, tracingPackages } from '../base/optional-packages.ts'
import { parseJson } from '../base/parse-json.ts'
import { isPasswordHash } from '../base/password-hash.ts'
import { roleNames } from '../base/roles.ts'

/** The settings do not fit together; the message names every fault at once, by name and never by value. */
export class ConfigInvalid extends PawlError {
  readonly code = 'config_invalid'
}

const number = (min: number, max: number) => {
  const fault = `must be a number from ${min} to ${max}`
  return z.coerce.number(fault).min(min, fault).max(max, fault)
}
const whole = (min: number, max: number) => number(min, max).int('must be a whole number')
const oneOf = <const T extends readonly string[]>(values: T) => z.enum(values, `must be one of ${values.join(', ')}`)
const count = (fallback: number, max: number) => whole(1, max).default(fallback)
const port = (fallback: number) => whole(0, 65_535).default(fallback)
const list = (fits: (item: string) => boolean, fault: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()))
    .refine((items) => items.every((item) => fits(item)), fault)
const address = (protocols: readonly string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    )

/** Text that holds JSON which fits; what is wrong with it is not said, since it may hold secrets. */
const json = <T extends z.ZodType>(fits: T, fault: string) =>
  z.string().transform((text, context): z.output<T> => {
    const parsed = fits.safeParse(parseJson(text))
    if (parsed.success) return parsed.data
    context.addIssue({ code: 'custom', message: fault })
    return z.NEVER
  })

/** Secrets of any length and characters: a comma or a backslash within one has a backslash before it. */
function readSecrets(text: string): string[] {
  const secrets = ['']
  for (const [character] of text.matchAll(/\\[,\\]|[^]/g)) {
    if (character === ',') secrets.push('')
    else secrets.push((secrets.pop() ?? '') + character.slice(-1))
  }
  return secrets.map((secret) => secret.trim())
}

const ranges = list(
  isAddressRange,
  'must be addresses or networks such as 192.0.2.7 or 192.0.2.0/24, separated by commas',
)
const httpAddress = address(['http:', 'https:'])
const token = z.string().regex(/^[\x21-\x7e]+$/, 'must be one token without spaces')
const isSealingKey = (text: string) => Buffer.from(text, 'base64').length === 32
const isSigningSecret = (text: string) => Buffer.from(text.replace(/^whsec_/, ''), 'base64').length >= 24
const signingSecrets = list(
  isSigningSecret,
  'must be Standard Webhooks secrets, separated by commas: whsec_ and Base64 of at least 24 bytes each',
)
const pharmacyAddress = address(['http:', 'https:', 'sftp:', 'postgres:', 'postgresql:', 'mysql:', 'mariadb:'])

/** The least that covers what pawl writes: to find the patient, and to search, create and update resources of its own. */
export const leastFhirScopes = [
  'system/Patient.rs',
  ...['ClaimResponse', 'Communication', 'Coverage', 'CoverageEligibilityResponse', 'DocumentReference', 'Task'].map(
    (type) => `system/${type}.crus`,
  ),
].join(' ')

/** One word, as it stands in the audit trail and travels in headers. */
const personName = z.string().regex(/^[\x21-\x39\x3b-\x7e]{1,120}$/)
const headerName = z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be the name of a header')

/** A person who may use the admin listener. */
const AdminUser = z.strictObject({
  name: personName,
  roles: z.array(z.enum(roleNames)).min(1),
  password: z.string().refine(isPasswordHash),
})

const yesOrNo = (fallback: 'true' | 'false') =>
  oneOf(['true', 'false'])
    .default(fallback)
    .transform((word) => word === 'true')

/** `Type=strategy`, separated by commas. */
const strategies = z
  .string()
  .transform((text) => Object.fromEntries(text.split(',').map((each) => each.split('=').map((part) => part.trim()))))
  .pipe(
    z.partialRecord(
      oneOf(['DocumentReference', 'Task', 'Communication', 'ClaimResponse', 'CoverageEligibilityResponse', 'Coverage']),
      oneOf(['conditional-update', 'search', 'remember', 'create', 'skip']),
    ),
  )

/** `system|code|text`, the text optional. */
const coding = z
  .string()
  .regex(/^[^|\s]+\|[^|\s]+(\|[^|]+)?$/, 'must be system|code or system|code|text')
  .transform((value) => {
    const [system = '', code = '', text] = value.split('|')
    return { system, code, text }
  })

const exampleIdentifierBase = 'https://pawl.example/identifiers'

const loopback = new Set(['127.0.0.1', '::1', 'localhost'])

/** Every setting with its default; .env.example documents each. */
export const Environment = z.object({
  NODE_ENV: oneOf(['development', 'production', 'test']).default('development'),
  ROLE: oneOf(['all', 'receiver', 'worker']).default('all'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port(3000),
  ADMIN_HOST: z.string().default('127.0.0.1'),
  ADMIN_PORT: port(3001),
  ADMIN_PASSWORD: z.string().min(12, 'must have at least 12 characters').optional(),
  ADMIN_USER: personName.optional(),
  ADMIN_USERS: json(
    z
      .array(AdminUser)
      .min(1)
      .refine((users) => new Set(users.map(({ name }) => name)).size === users.length),
    `must be a JSON array of entries that pawl users hash prints, each with a name of its own and roles out of ${roleNames.join(', ')}`,
  ).optional(),
  ADMIN_URL: httpAddress.optional(),
  ADMIN_PROXY_USER_HEADER: headerName.optional(),
  ADMIN_PROXY_ROLES_HEADER: headerName.optional(),
  OIDC_ISSUER: httpAddress
    .refine(
      (text) => !text.startsWith('http:') || loopback.has(new URL(text).hostname.replaceAll(/[[\]]/g, '')),
      'must start with https://, as who may log in depends on it',
    )
    .optional(),
  OIDC_CLIENT_ID: token.optional(),
  OIDC_CLIENT_SECRET: token.optional(),
  OIDC_ROLES_CLAIM: z.string().default('roles'),
  HOLD: yesOrNo('false'),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpAddress.optional(),
  // These four its own code reads from the environment.
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_TRACES_SAMPLER: oneOf([
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  ]).optional(),
  OTEL_TRACES_SAMPLER_ARG: number(0, 1).optional(),
  WEBHOOK_SECRETS: z
    .string()
    .transform(readSecrets)
    .refine((secrets) => secrets.every((secret) => secret !== ''), 'must be secrets, separated by commas')
    .optional(),
  MAX_IN_FLIGHT: count(2_000, 100_000),
  MAX_IN_FLIGHT_BYTES: count(268_435_456, 68_719_476_736),
  MAX_BODY_BYTES: count(4_194_304, 67_108_864),
  MAX_CONNECTIONS_PER_ADDRESS: count(500, 100_000),
  ALLOWED_ADDRESSES: ranges.optional(),
  TRUSTED_PROXIES: ranges.optional(),
  API_BASE_URL: httpAddress.optional(),
  API_TOKEN: token.optional(),
  ENROLLMENT_BASE_URL: httpAddress.optional(),
  DATABASE_URL: z
    .string()
    .regex(/^(file:.+|postgres(ql)?:\/\/.+)/, 'must be file:<path> or postgres://…')
    .default('file:./data/pawl.db'),
  RETENTION_DAYS: number(1, 3_650).default(30),
  PARKED_RETENTION_DAYS: number(1, 3_650).default(365),
  REPORT_RETENTION_DAYS: number(1, 3_650).default(400),
  SEALING_KEYS: list(isSealingKey, 'must be Base64 of 32 bytes each, separated by commas').optional(),
  SEALING: oneOf(['on', 'off', 'turning_on']).default('on'),
  QUEUE_URL: address(['redis:', 'rediss:']).optional(),
  CONCURRENCY: whole(1, 1_000).optional(),
  REST_MS: count(500, 60_000),
  LEASE_MS: count(30_000, 3_600_000),
  RETRY_ATTEMPTS: count(15, 1_000),
  RETRY_BASE_MS: count(2_000, 3_600_000),
  RETRY_MAX_MS: count(3_600_000, 86_400_000),
  BREAKER_COOLDOWN_MS: count(15_000, 3_600_000),
  SWEEP_INTERVAL_MS: count(5_000, 3_600_000),
  POLL_INTERVAL_MS: count(30_000, 3_600_000),
  SHUTDOWN_GRACE_MS: count(10_000, 600_000),
  FHIR_BASE_URL: httpAddress.optional(),
  FHIR_TOKEN: token.optional(),
  FHIR_CLIENT_ID: token.optional(),
  FHIR_KEY_FILES: list((file) => file !== '', 'must be paths of files, separated by commas').optional(),
  FHIR_SCOPES: z
    .string()
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'must be scopes, separated by single spaces')
    .default(leastFhirScopes),
  FHIR_TOKEN_URL: httpAddress.optional(),
  FHIR_IDENTIFIER_BASE: httpAddress.default(exampleIdentifierBase),
  FHIR_PATIENT_FIELD: oneOf(['internal_id', 'mrn', 'fhir_id']).default('internal_id'),
  FHIR_PATIENT_SYSTEM: z
    .string()
    .regex(/^[a-z][a-z0-9+.-]*:\S+$/i, 'must be the address or URN of an identifier system')
    .optional(),
  FHIR_PATIENT_CHECK_BIRTH_DATE: yesOrNo('true'),
  FHIR_STRATEGIES: strategies.optional(),
  FHIR_DOCUMENT_FORMATS: z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()))
    .pipe(z.array(oneOf(['text/plain', 'application/xhtml+xml'])))
    .default(['text/plain', 'application/xhtml+xml']),
  FHIR_DOCUMENT_TYPE: coding.optional(),
  FHIR_DOCUMENT_AUTHOR: z.string().default('Prior authorization service'),
  FHIR_MESSAGE_RECIPIENT: z
    .string()
    .regex(
      /^(Practitioner|PractitionerRole|Group|Organization|CareTeam)\/[A-Za-z0-9.-]{1,64}$/,
      'must be a reference such as Group/123',
    )
    .optional(),
  FHIR_REVIEW_ACTION_CODES: yesOrNo('true'),
  PHARMACY_URL: pharmacyAddress.optional(),
  PHARMACY_SECRET: signingSecrets.optional(),
  PHARMACY_HOST_KEY: list(
    (key) => /^SHA256:[A-Za-z0-9+/]{43}=?$/.test(key),
    'must be fingerprints as ssh-keygen -l shows them (SHA256:…), separated by commas',
  ).optional(),
  PHARMACY_SSH_KEY_FILE: z.string().optional(),
  PHARMACY_PASSWORD: z.string().optional(),
  PHARMACY_FILE_FORMAT: oneOf(['ndjson', 'csv']).default('ndjson'),
  PHARMACY_BATCH_MS: whole(0, 60_000).default(0),
  PHARMACY_ROUTES: json(
    z.record(z.string().regex(/^\d{7}$/), z.strictObject({ url: pharmacyAddress, secret: signingSecrets.optional() })),
    'must be JSON: for each NCPDP id of seven digits the url of the pharmacy and, if it has one of its own, its secret',
  ).optional(),
  PHARMACY_TABLE: z
    .string()
    .regex(/^[\w$#-]+(\.[\w$#-]+)?$/, 'must be a table, or a schema, a dot and a table')
    .default('prescription_transfer_notices'),
  PHARMACY_TABLE_MODE: oneOf(['outbox', 'upsert']).default('outbox'),
  PHARMACY_COLUMNS: json(
    z.record(z.string().min(1), z.string()),
    'must be JSON: for each column of the table what it gets, such as "data.status"',
  ).optional(),
  ALERT_URL: httpAddress.optional(),
  ALERT_SECRET: signingSecrets.optional(),
  ALERT_SLACK_URL: httpAddress.optional(),
  ALERT_EMAIL_TO: list(
    (text) => z.email().safeParse(text).success,
    'must be addresses, separated by commas',
  ).optional(),
  ALERT_EMAIL_FROM: z.email('must be one address').optional(),
  SMTP_URL: address(['smtp:', 'smtps:']).optional(),
  ALERT_OLDEST_DUE_MINUTES: count(15, 10_080),
  ALERT_AWAY_MINUTES: count(2, 10_080),
  ALERT_PAUSED_HOURS: count(4, 8_760),
  ALERT_REFUSED_PER_HOUR: count(10, 10_000),
  ALERT_BUDGET_PERCENT: whole(0, 100).default(5),
  ALERT_BACKUP_FILE: z.string().optional(),
  ALERT_BACKUP_HOURS: count(26, 8_760),
  ALERT_MAX_PER_HOUR: count(12, 100),
  ALERT_INTERVAL_MS: count(15_000, 600_000),
})

/** The values of pawl's own settings, by name. */
export type Settings = z.infer<typeof Environment>

/** By what people are known to the admin listener, besides the password that serves all. */
export interface AdminPeople {
  users: readonly z.infer<typeof AdminUser>[]
  /** The address that people use. */
  publicUrl: string | undefined
  /** What a trusted proxy says of who asks. */
  proxy: { userHeader: string; rolesHeader: string | undefined } | undefined
  oidc: { issuer: string; clientId: string; clientSecret: string; rolesClaim: string; publicUrl: string } | undefined
}

/** The settings, checked and typed. */
export interface Config {
  /** All by name, with those of the integration: what connectors and handlers read. */
  settings: Settings & Record<string, unknown>
  isProduction: boolean
  role: 'all' | 'receiver' | 'worker'
  /** All work is paused from the start. */
  hold: boolean
  host: string
  port: number
  admin: { host: string; port: number; password: string | undefined } & AdminPeople
  logLevel: string
  /** Where spans are sent; undefined: nowhere. */
  tracesEndpoint: string | undefined
  webhookSecrets: readonly string[]
  maxInFlight: number
  maxInFlightBytes: number
  maxBodyBytes: number
  maxConnectionsPerAddress: number
  /** Addresses and networks that may deliver; undefined: all. */
  allowedAddresses: readonly string[] | undefined
  trustedProxies: readonly string[]
  api: { baseUrl: string; token: string; enrollmentBaseUrl?: string } | undefined
  databaseUrl: string
  sealingKeys: readonly Uint8Array[]
  /** Values that were stored before there was a key are read as well, until `keys rotate` has sealed them. */
  acceptsPlain: boolean
  keep: { keepMs: number; parkedKeepMs: number; reportKeepMs: number }
  /** Of Redis. */
  queueUrl: string | undefined
  concurrency: number
  restMs: number
  leaseMs: number
  retry: { maxAttempts: number; baseMs: number; maxMs: number }
  breakerCooldownMs: number
  sweepIntervalMs: number
  pollIntervalMs: number
  shutdownGraceMs: number
  alerts: {
    limits: {
      oldestDueMs: number
      awayMs: number
      pausedMs: number
      refusedPerHour: number
      budgetPercent: number
      /** The path of a backup, and how old it may be. */
      backup: { path: string; maxAgeMs: number } | undefined
    }
    /** Where alerts are sent. */
    targets: {
      url: { address: string; secrets: readonly string[] } | undefined
      slack: string | undefined
      email: { to: readonly string[]; from: string; smtpUrl: string } | undefined
    }
    maxPerHour: number
    intervalMs: number
    /** Where people find the pages of the console. */
    adminUrl: string | undefined
  }
  /** Every setting by name, those of the integration last, with where its value is from. */
  sources: readonly { name: string; source: 'environment' | 'default' | 'not set'; isOwn: boolean }[]
}

/** Reads the settings, with those that the integration adds (`own`: a schema by name); an empty one counts as absent. Throws `ConfigInvalid`. */
export function readConfig(
  env: Record<string, string | undefined>,
  own: Readonly<Record<string, z.ZodType>> = {},
): Config {
  // Beside pawl's own settings it has those of the integration, whose types the compiler cannot know here.
  return toConfig(parseSettings(withOwnSettings(own), env, faultsBetween) as Config['settings'], withoutEmpty(env), own)
}

/** pawl's settings and those of an integration. Throws `ConfigInvalid` where one has the name of another. */
function withOwnSettings(own: Readonly<Record<string, z.ZodType>>) {
  for (const name of Object.keys(own)) {
    if (name in Environment.shape)
      throw new ConfigInvalid(
        `${name} is a setting of pawl itself: give yours in src/integration/index.ts another name.`,
      )
    if (!/^[A-Z][A-Z0-9_]*$/.test(name))
      throw new ConfigInvalid(
        `${name} in src/integration/index.ts is no name for a setting: use capitals, digits and _.`,
      )
  }
  return Environment.extend(own)
}

/** The settings as far as they fit, and what is wrong with the others. */
export interface InspectedConfig {
  /** Without the settings that are at fault: as if they were not set. */
  config: Config
  /** Each begins with the name of its setting and a colon; none holds a value. */
  faults: readonly string[]
}

/** As `readConfig`, for whoever reports on the settings; faults throw nothing. Throws `ConfigInvalid` where the integration declares settings that cannot be. */
export function inspectConfig(
  env: Record<string, string | undefined>,
  own: Readonly<Record<string, z.ZodType>> = {},
): InspectedConfig {
  const schema = withOwnSettings(own)
  const given = withoutEmpty(env)
  const faults = findFaults(schema, given, faultsBetween)
  const atFault = new Set(faults.map(settingAtFault))
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !atFault.has(name)))
  // Of pawl's own settings each may be absent; a setting of the integration may be required.
  const settings = schema.safeParse(rest).data ?? Environment.parse(rest)
  // As in readConfig.
  return { config: toConfig(settings as Config['settings'], rest, own), faults }
}

/** The name of the setting that a fault is about. */
export function settingAtFault(fault: string): string {
  return /^\w+/.exec(fault)?.[0] ?? ''
}

type Given = Partial<Record<keyof Settings, string>>

function withoutEmpty(env: Record<string, string | undefined>): Given {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => (value?.trim() ?? '') !== ''))
}

function findFaults(schema: z.ZodType, given: Given, findMore: (given: Given) => string[]): string[] {
  const issues = schema.safeParse(given).error?.issues ?? []
  return [...issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`), ...findMore(given)]
}

function parseSettings<T extends z.ZodType>(
  schema: T,
  env: Record<string, string | undefined>,
  findMore: (given: Given) => string[] = () => [],
): z.infer<T> {
  const given = withoutEmpty(env)
  const faults = findFaults(schema, given, findMore)
  if (faults.length === 0) return schema.parse(given)
  const isOwn = faults.some((fault) => !(settingAtFault(fault) in Environment.shape))
  const examples = isOwn ? '.env.example and src/integration/.env.example' : '.env.example'
  throw new ConfigInvalid(`Fix these settings (see ${examples}):\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
}

/** Settings by which people are known to the admin listener. */
const waysIn = ['ADMIN_PASSWORD', 'ADMIN_USERS', 'OIDC_ISSUER', 'ADMIN_PROXY_USER_HEADER'] as const

/** What each setting alone cannot show. */
function faultsBetween(given: Given): string[] {
  const faults: string[] = []
  const receives = given.ROLE !== 'worker'
  const works = given.ROLE !== 'receiver'
  const needed = (name: keyof Settings, why: string) => {
    if (given[name] === undefined) faults.push(`${name}: is missing; ${why}`)
  }
  const installed = (name: keyof Settings, packages: Parameters<typeof findMissing>[1]) => {
    const missing = findMissing(name, packages)
    if (missing !== undefined) faults.push(missing)
  }
  if (receives) needed('WEBHOOK_SECRETS', 'without it no delivery can be verified')
  if (works) {
    needed('API_BASE_URL', 'a worker asks the service how things stand')
    needed('API_TOKEN', 'the service answers only with a token')
  }
  if (/^https?:/i.test(given.PHARMACY_URL ?? ''))
    needed('PHARMACY_SECRET', 'what goes to PHARMACY_URL is signed with it')
  if (given.PHARMACY_TABLE_MODE === 'upsert') needed('PHARMACY_COLUMNS', 'an upsert writes what it names')
  if (given.PHARMACY_URL?.startsWith('sftp:') === true) {
    needed('PHARMACY_HOST_KEY', 'only the server whose key is known is sent anything')
    if (given.PHARMACY_SSH_KEY_FILE === undefined)
      needed('PHARMACY_PASSWORD', 'the server asks for it, or for a key: PHARMACY_SSH_KEY_FILE')
  }
  if (given.FHIR_CLIENT_ID !== undefined) {
    needed('FHIR_BASE_URL', 'FHIR_CLIENT_ID is who pawl is there')
    needed('FHIR_KEY_FILES', 'FHIR_CLIENT_ID proves itself with a key: pawl keys new-fhir makes one')
    if (given.FHIR_TOKEN !== undefined)
      faults.push('FHIR_TOKEN: FHIR_CLIENT_ID fetches tokens by itself; take one of the two out')
  }
  if (given.ALERT_URL !== undefined) needed('ALERT_SECRET', 'what goes to ALERT_URL is signed with it')
  if (given.ALERT_EMAIL_TO !== undefined) {
    needed('ALERT_EMAIL_FROM', 'mail to ALERT_EMAIL_TO has a sender')
    needed('SMTP_URL', 'a mail server sends what goes to ALERT_EMAIL_TO')
    installed('ALERT_EMAIL_TO', ['nodemailer'])
  }
  if (given.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) installed('OTEL_EXPORTER_OTLP_ENDPOINT', tracingPackages)
  if (given.SEALING === 'off') {
    if (given.SEALING_KEYS !== undefined)
      faults.push('SEALING: is off, though SEALING_KEYS is set; take one of the two out')
  } else if (given.SEALING === 'turning_on') needed('SEALING_KEYS', 'SEALING=turning_on has values sealed with it')
  else if (given.NODE_ENV === 'production')
    needed('SEALING_KEYS', 'make one (openssl rand -base64 32), or say SEALING=off to keep patient data unsealed')
  if (!loopback.has(given.ADMIN_HOST ?? '127.0.0.1'))
    if (waysIn.every((name) => given[name] === undefined))
      needed(
        'ADMIN_PASSWORD',
        `ADMIN_HOST can be reached from other machines, and nobody is asked who they are: set it, or one of ${waysIn.slice(1).join(', ')}`,
      )
  if (given.OIDC_ISSUER !== undefined) {
    needed('OIDC_CLIENT_ID', 'OIDC_ISSUER knows pawl by it')
    needed('OIDC_CLIENT_SECRET', 'OIDC_ISSUER answers pawl only with it')
    needed('ADMIN_URL', 'OIDC_ISSUER sends people back to it')
  }
  if (given.ADMIN_PROXY_USER_HEADER !== undefined)
    needed('TRUSTED_PROXIES', 'ADMIN_PROXY_USER_HEADER is believed from these addresses alone')
  if (given.ADMIN_PROXY_ROLES_HEADER !== undefined)
    needed('ADMIN_PROXY_USER_HEADER', 'ADMIN_PROXY_ROLES_HEADER says what that person may do')
  return faults
}

function toConfig(settings: Config['settings'], given: object, own: object): Config {
  const { API_BASE_URL: apiBaseUrl, API_TOKEN: apiToken, ENROLLMENT_BASE_URL: enrollmentBaseUrl } = settings
  return {
    settings,
    isProduction: settings.NODE_ENV === 'production',
    role: settings.ROLE,
    hold: settings.HOLD,
    host: settings.HOST,
    port: settings.PORT,
    admin: {
      host: settings.ADMIN_HOST,
      port: settings.ADMIN_PORT,
      password: settings.ADMIN_PASSWORD,
      ...toAdminPeople(settings),
    },
    logLevel: settings.LOG_LEVEL,
    tracesEndpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    webhookSecrets: settings.WEBHOOK_SECRETS ?? [],
    maxInFlight: settings.MAX_IN_FLIGHT,
    maxInFlightBytes: settings.MAX_IN_FLIGHT_BYTES,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    maxConnectionsPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS,
    allowedAddresses: settings.ALLOWED_ADDRESSES,
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
    api:
      apiBaseUrl === undefined || apiToken === undefined
        ? undefined
        : { baseUrl: apiBaseUrl, token: apiToken, ...(enrollmentBaseUrl !== undefined && { enrollmentBaseUrl }) },
    databaseUrl: settings.DATABASE_URL,
    ...sealingOf(settings),
    keep: {
      keepMs: settings.RETENTION_DAYS * 86_400_000,
      parkedKeepMs: settings.PARKED_RETENTION_DAYS * 86_400_000,
      reportKeepMs: settings.REPORT_RETENTION_DAYS * 86_400_000,
    },
    queueUrl: settings.QUEUE_URL,
    concurrency: settings.CONCURRENCY ?? concurrencyOn(settings.DATABASE_URL),
    restMs: settings.REST_MS,
    leaseMs: settings.LEASE_MS,
    retry: {
      maxAttempts: settings.RETRY_ATTEMPTS,
      baseMs: settings.RETRY_BASE_MS,
      maxMs: settings.RETRY_MAX_MS,
    },
    breakerCooldownMs: settings.BREAKER_COOLDOWN_MS,
    sweepIntervalMs: settings.SWEEP_INTERVAL_MS,
    pollIntervalMs: settings.POLL_INTERVAL_MS,
    shutdownGraceMs: settings.SHUTDOWN_GRACE_MS,
    alerts: alertsOf(settings),
    sources: sourcesOf(settings, given, own),
  }
}

/** How many resources are in work at once unless CONCURRENCY says: on PostgreSQL a commit takes longer, and costs about the same for many as for few. */
export function concurrencyOn(databaseUrl: string): number {
  return databaseUrl.startsWith('file:') ? 16 : 48
}

function alertsOf(settings: Settings): Config['alerts'] {
  const { ALERT_URL: url, ALERT_SECRET: secrets = [], ALERT_BACKUP_FILE: path } = settings
  const { ALERT_EMAIL_TO: to, ALERT_EMAIL_FROM: from, SMTP_URL: smtpUrl } = settings
  return {
    limits: {
      oldestDueMs: settings.ALERT_OLDEST_DUE_MINUTES * 60_000,
      awayMs: settings.ALERT_AWAY_MINUTES * 60_000,
      pausedMs: settings.ALERT_PAUSED_HOURS * 3_600_000,
      refusedPerHour: settings.ALERT_REFUSED_PER_HOUR,
      budgetPercent: settings.ALERT_BUDGET_PERCENT,
      backup: path === undefined ? undefined : { path, maxAgeMs: settings.ALERT_BACKUP_HOURS * 3_600_000 },
    },
    targets: {
      url: url === undefined ? undefined : { address: url, secrets },
      slack: settings.ALERT_SLACK_URL,
      email: to === undefined || from === undefined || smtpUrl === undefined ? undefined : { to, from, smtpUrl },
    },
    maxPerHour: settings.ALERT_MAX_PER_HOUR,
    intervalMs: settings.ALERT_INTERVAL_MS,
    adminUrl: settings.ADMIN_URL,
  }
}

function toAdminPeople(settings: Config['settings']): AdminPeople {
  const {
    ADMIN_URL: publicUrl,
    ADMIN_PROXY_USER_HEADER: userHeader,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
  } = settings
  const rolesClaim = settings.OIDC_ROLES_CLAIM
  return {
    users: settings.ADMIN_USERS ?? [],
    publicUrl,
    proxy: userHeader === undefined ? undefined : { userHeader, rolesHeader: settings.ADMIN_PROXY_ROLES_HEADER },
    oidc:
      issuer === undefined || clientId === undefined || clientSecret === undefined || publicUrl === undefined
        ? undefined
        : { issuer, clientId, clientSecret, rolesClaim, publicUrl },
  }
}

/** Where the value of each setting is from; a value itself is never told. */
function sourcesOf(settings: Config['settings'], given: object, own: object): Config['sources'] {
  return [...Object.keys(Environment.shape), ...Object.keys(own)].map((name) => {
    const source = settings[name] === undefined ? 'not set' : 'default'
    return { name, source: name in given ? 'environment' : source, isOwn: !(name in Environment.shape) }
  })
}

/** Below it a secret can be found by trying. */
const minSecretLength = 32

/** Settings that are allowed, but hardly meant. */
export interface SettingsWarning {
  /** A fixed sentence, for the log. */
  says: string
  todo: string
}

/** What is allowed, but hardly meant. Most of it matters in production alone. */
export function warningsFor(config: Config): SettingsWarning[] {
  const { isProduction, role, webhookSecrets, sealingKeys, acceptsPlain, settings } = config
  const warnings: SettingsWarning[] = []
  if (role !== 'worker' && webhookSecrets.some((secret) => secret.length < minSecretLength))
    warnings.push({
      says: `a secret of WEBHOOK_SECRETS has fewer than ${minSecretLength} characters: it may be guessed`,
      todo: 'Put a longer one in front of it (openssl rand -hex 32), give it to the service, then take the short one out.',
    })
  if (acceptsPlain)
    warnings.push({
      says: 'sealing is being turned on (SEALING): values that are not sealed are believed, so that write access to the ledger is enough to replace one',
      todo: 'Run pawl keys rotate; once it says that all values are sealed, take SEALING out and restart.',
    })
  if (!isProduction) return warnings
  if (sealingKeys.length === 0)
    warnings.push({
      says: 'sealing is off (SEALING): whoever can read the ledger can read the bodies and snapshots in it, and whoever can write to it can forge the audit trail',
      todo: 'Set SEALING_KEYS to a key of its own (openssl rand -base64 32), keep that key apart from the backups, and take SEALING out.',
    })
  if (settings.FHIR_BASE_URL !== undefined && settings.FHIR_IDENTIFIER_BASE === exampleIdentifierBase)
    warnings.push({
      says: 'FHIR_IDENTIFIER_BASE is the example: set an address of your own before the first write to the chart',
      todo: 'Set it to an address that your organization owns, then keep it: records are found again by it.',
    })
  return warnings
}

/** Where the admin listener of a running gateway is, for the command line. Throws `ConfigInvalid`. */
export function readAdminAddress(env: Record<string, string | undefined>): {
  url: string
  user: string | undefined
  password: string | undefined
} {
  const names = { ADMIN_HOST: true, ADMIN_PORT: true, ADMIN_USER: true, ADMIN_PASSWORD: true } as const
  const settings = parseSettings(Environment.pick(names), env)
  const { ADMIN_HOST: host, ADMIN_PORT: port, ADMIN_USER: user, ADMIN_PASSWORD: password } = settings
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, user, password }
}

/** The settings of a pharmacy's table, for the command line. Throws `ConfigInvalid`. */
export function readPharmacyTable(env: Record<string, string | undefined>) {
  const names = { PHARMACY_URL: true, PHARMACY_TABLE: true, PHARMACY_TABLE_MODE: true, PHARMACY_COLUMNS: true } as const
  return parseSettings(Environment.pick(names), env)
}

/** DATABASE_URL alone, for whoever looks at the ledger past a running pawl. Throws `ConfigInvalid`. */
export function readDatabaseUrl(env: Record<string, string | undefined>): string {
  return parseSettings(Environment.pick({ DATABASE_URL: true }), env).DATABASE_URL
}

/** The keys that the ledger is sealed and signed with, and whether plain values are read beside them, for the command line. Throws `ConfigInvalid`. */
export function readSealing(env: Record<string, string | undefined>): Pick<Config, 'sealingKeys' | 'acceptsPlain'> {
  return sealingOf(parseSettings(Environment.pick({ SEALING_KEYS: true, SEALING: true }), env))
}

function sealingOf({
  SEALING_KEYS: keys = [],
  SEALING,
}: Pick<z.infer<typeof Environment>, 'SEALING_KEYS' | 'SEALING'>) {
  return { sealingKeys: keys.map((key) => Buffer.from(key, 'base64')), acceptsPlain: SEALING === 'turning_on' }
}

/** What says whether a running pawl answers: the public listener, or the admin listener of a worker, which has no other. Throws `ConfigInvalid`. */
export function readHealthAddress(env: Record<string, string | undefined>): string {
  const names = { ROLE: true, HOST: true, PORT: true, ADMIN_HOST: true, ADMIN_PORT: true } as const
  const { ROLE, HOST, PORT, ADMIN_HOST, ADMIN_PORT } = parseSettings(Environment.pick(names), env)
  const [host, port, path] = ROLE === 'worker' ? [ADMIN_HOST, ADMIN_PORT, '/readyz'] : [HOST, PORT, '/healthz']
  return `${nearestUrl({ host, port })}${path}`
}

/** Where deliveries go on this machine, and the secret that signs them. Throws `ConfigInvalid`. */
export function readDeliveryTarget(env: Record<string, string | undefined>): {
  url: string
  secret: string | undefined
} {
  const names = { HOST: true, PORT: true, WEBHOOK_SECRETS: true } as const
  const { HOST, PORT, WEBHOOK_SECRETS } = parseSettings(Environment.pick(names), env)
  return { url: `${nearestUrl({ host: HOST, port: PORT })}/webhooks`, secret: WEBHOOK_SECRETS?.[0] }
}

/** Where this machine reaches a listener: one on every address by the nearest. */
export function nearestUrl({ host, port }: { host: string; port: number }): string {
  const nearest = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${nearest.includes(':') ? `[${nearest}]` : nearest}:${port}`
}
