import { z } from 'zod'
import { isAddressRange } from './address-ranges.ts'
import { PawlError } from './errors.ts'
import { parseJson } from './parse-json.ts'

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
const isPharmacySecret = (text: string) => Buffer.from(text.replace(/^whsec_/, ''), 'base64').length >= 24
const pharmacySecrets = list(
  isPharmacySecret,
  'must be Standard Webhooks secrets, separated by commas: whsec_ and Base64 of at least 24 bytes each',
)
const pharmacyAddress = address([
  'http:',
  'https:',
  'sftp:',
  'postgres:',
  'postgresql:',
  'mysql:',
  'mariadb:',
  'mssql:',
])

/** The least that covers what pawl writes: to find the patient, and to search, create and update resources of its own. */
export const leastFhirScopes = [
  'system/Patient.rs',
  ...['ClaimResponse', 'Communication', 'Coverage', 'CoverageEligibilityResponse', 'DocumentReference', 'Task'].map(
    (type) => `system/${type}.crus`,
  ),
].join(' ')

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

/** Every setting with its default; .env.example documents each. */
export const Environment = z.object({
  NODE_ENV: oneOf(['development', 'production', 'test']).default('development'),
  ROLE: oneOf(['all', 'receiver', 'worker']).default('all'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port(3000),
  ADMIN_HOST: z.string().default('127.0.0.1'),
  ADMIN_PORT: port(3001),
  ADMIN_PASSWORD: z.string().min(12, 'must have at least 12 characters').optional(),
  HOLD: yesOrNo('false'),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
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
  DATABASE_URL: z
    .string()
    .regex(/^(file:.+|postgres(ql)?:\/\/.+)/, 'must be file:<path> or postgres://…')
    .default('file:./data/pawl.db'),
  RETENTION_DAYS: number(1, 3_650).default(30),
  PARKED_RETENTION_DAYS: number(1, 3_650).default(365),
  REPORT_RETENTION_DAYS: number(1, 3_650).default(400),
  SEALING_KEYS: list(isSealingKey, 'must be Base64 of 32 bytes each, separated by commas').optional(),
  SEALING: oneOf(['on', 'off']).default('on'),
  QUEUE_URL: address(['redis:', 'rediss:', 'postgres:', 'postgresql:']).optional(),
  CONCURRENCY: count(16, 1_000),
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
  PHARMACY_SECRET: pharmacySecrets.optional(),
  PHARMACY_HOST_KEY: list(
    (key) => /^SHA256:[A-Za-z0-9+/]{43}=?$/.test(key),
    'must be fingerprints as ssh-keygen -l shows them (SHA256:…), separated by commas',
  ).optional(),
  PHARMACY_SSH_KEY_FILE: z.string().optional(),
  PHARMACY_PASSWORD: z.string().optional(),
  PHARMACY_FILE_FORMAT: oneOf(['ndjson', 'csv']).default('ndjson'),
  PHARMACY_BATCH_MS: whole(0, 60_000).default(0),
  PHARMACY_ROUTES: json(
    z.record(z.string().regex(/^\d{7}$/), z.strictObject({ url: pharmacyAddress, secret: pharmacySecrets.optional() })),
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
})

/** The values of pawl's own settings, by name. */
export type Settings = z.infer<typeof Environment>

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
  admin: { host: string; port: number; password: string | undefined }
  logLevel: string
  webhookSecrets: readonly string[]
  maxInFlight: number
  maxInFlightBytes: number
  maxBodyBytes: number
  maxConnectionsPerAddress: number
  /** Addresses and networks that may deliver; undefined: all. */
  allowedAddresses: readonly string[] | undefined
  trustedProxies: readonly string[]
  api: { baseUrl: string; token: string } | undefined
  databaseUrl: string
  sealingKeys: readonly Uint8Array[]
  keep: { keepMs: number; parkedKeepMs: number; reportKeepMs: number }
  queueUrl: string | undefined
  concurrency: number
  restMs: number
  leaseMs: number
  retry: { maxAttempts: number; baseMs: number; maxMs: number }
  breakerCooldownMs: number
  sweepIntervalMs: number
  pollIntervalMs: number
  shutdownGraceMs: number
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

const loopback = new Set(['127.0.0.1', '::1', 'localhost'])

/** What each setting alone cannot show. */
function faultsBetween(given: Given): string[] {
  const faults: string[] = []
  const receives = given.ROLE !== 'worker'
  const works = given.ROLE !== 'receiver'
  const needed = (name: keyof Settings, why: string) => {
    if (given[name] === undefined) faults.push(`${name}: is missing; ${why}`)
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
  if (given.SEALING === 'off') {
    if (given.SEALING_KEYS !== undefined)
      faults.push('SEALING: is off, though SEALING_KEYS is set; take one of the two out')
  } else if (given.NODE_ENV === 'production')
    needed('SEALING_KEYS', 'make one (openssl rand -base64 32), or say SEALING=off to keep patient data unsealed')
  if (!loopback.has(given.ADMIN_HOST ?? '127.0.0.1'))
    needed('ADMIN_PASSWORD', 'ADMIN_HOST can be reached from other machines')
  return faults
}

function toConfig(settings: Config['settings'], given: object, own: object): Config {
  const { API_BASE_URL: apiBaseUrl, API_TOKEN: apiToken } = settings
  return {
    settings,
    isProduction: settings.NODE_ENV === 'production',
    role: settings.ROLE,
    hold: settings.HOLD,
    host: settings.HOST,
    port: settings.PORT,
    admin: { host: settings.ADMIN_HOST, port: settings.ADMIN_PORT, password: settings.ADMIN_PASSWORD },
    logLevel: settings.LOG_LEVEL,
    webhookSecrets: settings.WEBHOOK_SECRETS ?? [],
    maxInFlight: settings.MAX_IN_FLIGHT,
    maxInFlightBytes: settings.MAX_IN_FLIGHT_BYTES,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    maxConnectionsPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS,
    allowedAddresses: settings.ALLOWED_ADDRESSES,
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
    api: apiBaseUrl === undefined || apiToken === undefined ? undefined : { baseUrl: apiBaseUrl, token: apiToken },
    databaseUrl: settings.DATABASE_URL,
    sealingKeys: (settings.SEALING_KEYS ?? []).map((key) => Buffer.from(key, 'base64')),
    keep: {
      keepMs: settings.RETENTION_DAYS * 86_400_000,
      parkedKeepMs: settings.PARKED_RETENTION_DAYS * 86_400_000,
      reportKeepMs: settings.REPORT_RETENTION_DAYS * 86_400_000,
    },
    queueUrl: settings.QUEUE_URL,
    concurrency: settings.CONCURRENCY,
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
    sources: sourcesOf(settings, given, own),
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
export function warningsFor({ isProduction, role, webhookSecrets, sealingKeys, settings }: Config): SettingsWarning[] {
  const warnings: SettingsWarning[] = []
  if (role !== 'worker' && webhookSecrets.some((secret) => secret.length < minSecretLength))
    warnings.push({
      says: `a secret of WEBHOOK_SECRETS has fewer than ${minSecretLength} characters: it may be guessed`,
      todo: 'Put a longer one in front of it (openssl rand -hex 32), give it to the service, then take the short one out.',
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
  password: string | undefined
} {
  const names = { ADMIN_HOST: true, ADMIN_PORT: true, ADMIN_PASSWORD: true } as const
  const { ADMIN_HOST: host, ADMIN_PORT: port, ADMIN_PASSWORD: password } = parseSettings(Environment.pick(names), env)
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, password }
}

/** The settings of a pharmacy's table, for the command line. Throws `ConfigInvalid`. */
export function readPharmacyTable(env: Record<string, string | undefined>) {
  const names = { PHARMACY_URL: true, PHARMACY_TABLE: true, PHARMACY_TABLE_MODE: true, PHARMACY_COLUMNS: true } as const
  return parseSettings(Environment.pick(names), env)
}

/** The keys that the ledger is sealed and signed with, for the command line. Throws `ConfigInvalid`. */
export function readSealingKeys(env: Record<string, string | undefined>): Uint8Array[] {
  const { SEALING_KEYS: keys = [] } = parseSettings(Environment.pick({ SEALING_KEYS: true }), env)
  return keys.map((key) => Buffer.from(key, 'base64'))
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
