import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { ConfigInvalid } from '../../packages/base/src/errors.ts'
import { fhirSettings } from '../../packages/ehr/src/index.ts'
import { Environment } from '../../src/settings/environment.ts'
import { dropEmptyZone } from '../../src/settings/process-settings.ts'
import { type Config, readConfig as readWith } from '../../src/settings/read-config.ts'
import { warningsFor } from '../../src/settings/warnings.ts'
import { readAdminAddress } from '../../src/settings/read-for-commands.ts'
import { fillDocument, renderEnvExample } from '../../scripts/render-settings.ts'
import integration from '../../src/integration/index.ts'
import { connectorsSettings } from '../support/shipped-integration.ts'

const secret = 'canary-secret-of-at-least-32-characters'
const complete = { WEBHOOK_SECRETS: secret, API_BASE_URL: 'http://127.0.0.1:4000', API_TOKEN: 'canary-token' }

/** Settings of pawl, its connectors, and `own`. */
const readConfig = (env: Record<string, string | undefined>, own: Record<string, z.ZodType> = {}) =>
  readWith(env, { ...connectorsSettings, ...own })

/** The message of the refusal. */
function faultsOf(env: Record<string, string | undefined>): string {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.message
    throw error
  }
  throw new Error('the settings were accepted')
}

/** Names of the settings at fault. */
function namesIn(message: string): string[] {
  return message.split('\n').flatMap((line) => /^ {2}([A-Z0-9_]+): \S/.exec(line)?.[1] ?? [])
}

describe('the settings', () => {
  it('have defaults for all but secrets and the service', () => {
    expect(readConfig(complete)).toMatchObject({
      isProduction: false,
      role: 'all',
      host: '127.0.0.1',
      port: 3000,
      admin: { host: '127.0.0.1', port: 3001, password: undefined },
      webhookSecrets: [secret],
      api: { baseUrl: 'http://127.0.0.1:4000', token: 'canary-token' },
      databaseUrl: 'file:./data/pawl.db',
      sealingKeys: [],
      queueUrl: undefined,
    })
  })

  it('have more resources in work at once on PostgreSQL, unless CONCURRENCY says how many', () => {
    const onPostgres = { ...complete, DATABASE_URL: 'postgres://127.0.0.1/pawl' }
    expect(readConfig(complete).concurrency).toBe(16)
    expect(readConfig(onPostgres).concurrency).toBe(48)
    expect(readConfig({ ...onPostgres, CONCURRENCY: '8' }).concurrency).toBe(8)
  })

  it.each([
    [{ PORT: 'http' }, 'PORT: must be a number from 0 to 65535'],
    [{ ADMIN_PORT: '99999' }, 'ADMIN_PORT: must be a number from 0 to 65535'],
    [{ CONCURRENCY: '1.5' }, 'CONCURRENCY: must be a whole number'],
    [{ RETENTION_DAYS: '0' }, 'RETENTION_DAYS: must be a number from 1 to 3650'],
    [{ ROLE: 'boss' }, 'ROLE: must be one of all, receiver, worker'],
  ])('say what %j should be', (env, said) => {
    expect(faultsOf({ ...complete, ...env }).split('\n')).toContain(`  ${said}`)
  })

  it.each(['America/New_York', 'US/Eastern', 'America/Port-au-Prince', 'Etc/GMT+5', 'EST5EDT', 'UTC'])(
    'have the process obey the time zone %s',
    (TZ) => {
      expect(readConfig({ ...complete, TZ }).settings).toMatchObject({ TZ })
      vi.stubEnv('TZ', TZ)
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
      vi.unstubAllEnvs()
      expect(timeZone).toBe(new Intl.DateTimeFormat('en', { timeZone: TZ }).resolvedOptions().timeZone)
    },
  )

  it('have the zone of the machine count where TZ is set to nothing', () => {
    for (const TZ of ['', ' ']) {
      const env = { TZ }
      dropEmptyZone(env)
      expect(env).toEqual({})
    }
  })

  it('are read from their texts', () => {
    const keys = [1, 2].map((byte) => Buffer.alloc(32, byte))
    const config = readConfig({
      ...complete,
      WEBHOOK_SECRETS: `${secret}, ${secret}-old`,
      SEALING_KEYS: keys.map((key) => key.toString('base64')).join(','),
      QUEUE_URL: 'redis://127.0.0.1:6379',
      DATABASE_URL: 'file:/tmp/x.db',
      NODE_ENV: 'production',
      FHIR_BASE_URL: 'https://ehr.example/fhir',
      PHARMACY_URL: 'https://pharmacy.example/hook',
      PHARMACY_SECRET: `whsec_${Buffer.alloc(24).toString('base64')}`,
      RETRY_ATTEMPTS: '3',
    })
    expect(config.webhookSecrets).toEqual([secret, `${secret}-old`])
    expect(config.sealingKeys.map((key) => Buffer.from(key))).toEqual(keys)
    expect(config).toMatchObject({
      isProduction: true,
      queueUrl: 'redis://127.0.0.1:6379',
      databaseUrl: 'file:/tmp/x.db',

      settings: { FHIR_BASE_URL: 'https://ehr.example/fhir', PHARMACY_URL: 'https://pharmacy.example/hook' },
      retry: { maxAttempts: 3 },
    })
  })

  it.each([
    ['s', ['s']],
    ['new, old', ['new', 'old']],
    ['with\\,comma,old', ['with,comma', 'old']],
    ['back\\\\,old', ['back\\', 'old']],
    ['a\\b#c=d e,ä"\'', ['a\\b#c=d e', 'ä"\'']],
    ['\\,,\\,', [',', ',']],
  ])('take secrets as the admin panel does, of any length and characters: %j', (text, secrets) => {
    expect(readConfig({ ...complete, WEBHOOK_SECRETS: text }).webhookSecrets).toEqual(secrets)
  })

  it('have no default secret, in production or elsewhere', () => {
    const { WEBHOOK_SECRETS: _, ...others } = complete
    const rest = { ...others, SEALING: 'off' }
    for (const NODE_ENV of ['production', 'development', 'test'])
      expect(namesIn(faultsOf({ ...rest, NODE_ENV }))).toEqual(['WEBHOOK_SECRETS'])
  })

  it('have production start only with keys to seal with, or told to do without', () => {
    const production = { ...complete, NODE_ENV: 'production' }
    expect(namesIn(faultsOf(production))).toEqual(['SEALING_KEYS'])
    expect(readConfig({ ...production, SEALING: 'off' }).sealingKeys).toEqual([])
    const SEALING_KEYS = Buffer.alloc(32, 1).toString('base64')
    expect(readConfig({ ...production, SEALING_KEYS }).sealingKeys).toHaveLength(1)
    expect(namesIn(faultsOf({ ...production, SEALING_KEYS, SEALING: 'off' }))).toEqual(['SEALING'])
    expect(namesIn(faultsOf({ ...production, SEALING: 'turning_on' }))).toEqual(['SEALING_KEYS'])
    expect(readConfig({ ...production, SEALING_KEYS, SEALING: 'turning_on' })).toMatchObject({ acceptsPlain: true })
    expect(readConfig(complete).sealingKeys).toEqual([])
  })

  it('are known by the names of those that are set', () => {
    const { sources } = readConfig({ ...complete, PORT: '', UNKNOWN: 'x', LOG_LEVEL: 'silent' })
    const given = sources.filter(({ source }) => source === 'environment').map(({ name }) => name)
    expect(given.toSorted()).toEqual([...Object.keys(complete), 'LOG_LEVEL'].toSorted())
  })

  it('tell their value only where it is a number or a choice, and none of a fork', () => {
    const own = { DESK_PORT: z.coerce.number().default(7), DESK_TOKEN: z.string().optional() }
    const secrets = { SMTP_URL: 'smtp://desk:canary@127.0.0.1:25', ADMIN_PASSWORD: 'canary-password' }
    const { sources } = readConfig({ ...complete, ...secrets, DESK_TOKEN: 'hush', START_PAUSED: 'true' }, own)
    const told = Object.fromEntries(sources.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))
    expect(told).toMatchObject({ PORT: '3000', START_PAUSED: 'true', BREAKER_COOLDOWN_MS: '15000' })
    for (const name of ['DESK_PORT', 'DESK_TOKEN', 'API_BASE_URL', 'DATABASE_URL', ...Object.keys(secrets)])
      expect(told).not.toHaveProperty(name)
    expect(JSON.stringify(told)).not.toMatch(/canary|127\.0\.0\.1/)
  })

  it.each(['', ' '])('count as absent when they are %j', (nothing) => {
    expect(readConfig({ ...complete, PORT: nothing, QUEUE_URL: nothing, ADMIN_PASSWORD: nothing })).toEqual(
      readConfig(complete),
    )
    expect(namesIn(faultsOf({ ...complete, WEBHOOK_SECRETS: nothing }))).toEqual(['WEBHOOK_SECRETS'])
  })

  it('need what their role needs', () => {
    const none = { ROLE: 'all' }
    expect(namesIn(faultsOf(none))).toEqual(['WEBHOOK_SECRETS', 'API_BASE_URL', 'API_TOKEN'])
    expect(namesIn(faultsOf({ ROLE: 'receiver' }))).toEqual(['WEBHOOK_SECRETS'])
    expect(namesIn(faultsOf({ ROLE: 'worker' }))).toEqual(['API_BASE_URL', 'API_TOKEN'])
    expect(readConfig({ ROLE: 'receiver', WEBHOOK_SECRETS: secret }).api).toBeUndefined()
    expect(readConfig({ ...complete, ROLE: 'worker', WEBHOOK_SECRETS: '' }).webhookSecrets).toEqual([])
  })

  it.each(['0.0.0.0', '::', '10.0.0.1', 'pawl.example'])(
    'need an admin password when it listens on %s',
    (ADMIN_HOST) => {
      expect(namesIn(faultsOf({ ...complete, ADMIN_HOST }))).toEqual(['ADMIN_PASSWORD'])
      expect(readConfig({ ...complete, ADMIN_HOST, ADMIN_PASSWORD: 'twelve-chars' }).admin.password).toBe(
        'twelve-chars',
      )
    },
  )

  const provider = {
    OIDC_ISSUER: 'https://id.example',
    OIDC_CLIENT_ID: 'pawl',
    OIDC_CLIENT_SECRET: 'canary',
    ADMIN_URL: 'https://pawl.example',
  }
  const entry = { name: 'maria', roles: ['operator'], password: `scrypt:15:8:3:${'A'.repeat(22)}:${'A'.repeat(43)}` }
  it.each([
    ['people with passwords', { ADMIN_USERS: JSON.stringify([entry]) }],
    ['an identity provider', provider],
    ['a trusted proxy', { ADMIN_PROXY_USER_HEADER: 'X-Forwarded-User', TRUSTED_PROXIES: '192.0.2.7' }],
  ])('listen on all addresses with %s in place of the password', (_, ways) => {
    expect(readConfig({ ...complete, ADMIN_HOST: '0.0.0.0', ...ways }).admin.password).toBeUndefined()
  })

  it.each(['canary', 'http://canary.example'])('refuse an identity provider at %s, never by value', (OIDC_ISSUER) => {
    const faults = faultsOf({ ...complete, ...provider, OIDC_ISSUER })
    expect(namesIn(faults)).toEqual(['OIDC_ISSUER'])
    expect(faults).not.toContain('canary')
    for (const near of ['http://127.0.0.1:9', 'http://localhost:9'])
      expect(readConfig({ ...complete, ...provider, OIDC_ISSUER: near }).admin.oidc?.issuer).toBe(near)
  })

  it('need all that belongs to an identity provider, or to a proxy that is believed', () => {
    const { OIDC_ISSUER } = provider
    expect(namesIn(faultsOf({ ...complete, OIDC_ISSUER }))).toEqual([
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
      'ADMIN_URL',
    ])
    expect(namesIn(faultsOf({ ...complete, ADMIN_PROXY_USER_HEADER: 'X-User' }))).toEqual(['TRUSTED_PROXIES'])
    expect(namesIn(faultsOf({ ...complete, ADMIN_PROXY_ROLES_HEADER: 'X-Roles' }))).toEqual(['ADMIN_PROXY_USER_HEADER'])
  })

  it.each(['127.0.0.1', '::1', 'localhost'])('need none when it listens on %s', (ADMIN_HOST) => {
    expect(readConfig({ ...complete, ADMIN_HOST }).admin.password).toBeUndefined()
  })

  it('ask for what a target of alerts needs beside its address', () => {
    const to = { ...complete, ALERT_EMAIL_TO: 'call@clinic.example, desk@clinic.example' }
    expect(namesIn(faultsOf(to))).toEqual(['ALERT_EMAIL_FROM', 'SMTP_URL'])
    expect(namesIn(faultsOf({ ...to, ALERT_EMAIL_TO: 'call' }))).toContain('ALERT_EMAIL_TO')
    const whole = { ...to, ALERT_EMAIL_FROM: 'pawl@clinic.example', SMTP_URL: 'smtps://mail.clinic.example' }
    expect(readConfig(whole).alerts.targets.email?.to).toEqual(['call@clinic.example', 'desk@clinic.example'])
  })

  it('ask for a mail server where there are teams of staff, and hold these to known reasons and kinds', () => {
    const mail = { ALERT_EMAIL_FROM: 'pawl@clinic.example', SMTP_URL: 'smtps://mail.clinic.example' }
    const desk = { name: 'Desk', to: ['desk@clinic.example'], takes: ['denied', 'file'] }
    const withTeams = (...teams: object[]) => ({ ...complete, STAFF_TEAMS: JSON.stringify(teams) })
    expect(namesIn(faultsOf(withTeams(desk)))).toEqual(['ALERT_EMAIL_FROM', 'SMTP_URL'])
    const { staff } = readConfig({ ...withTeams(desk), ...mail, STAFF_DIGEST_AT: '16:30' })
    expect(staff).toMatchObject({ teams: [desk], at: { hours: 16, minutes: 30 } })
    for (const wrong of [{ takes: ['deneid'] }, { takes: [] }, { to: [] }, { to: ['desk'] }, { name: '' }, { cc: 1 }])
      expect(faultsOf({ ...withTeams({ ...desk, ...wrong }), ...mail })).toMatch(
        /STAFF_TEAMS: must be a JSON array of teams.*awaiting_review/,
      )
    expect(namesIn(faultsOf({ ...withTeams(desk, desk), ...mail }))).toEqual(['STAFF_TEAMS'])
    expect(namesIn(faultsOf({ ...withTeams(desk), ...mail, STAFF_DIGEST_AT: '7 am' }))).toEqual(['STAFF_DIGEST_AT'])
  })

  it('need the secret of the pharmacy with its address', () => {
    expect(namesIn(faultsOf({ ...complete, PHARMACY_URL: 'https://pharmacy.example' }))).toEqual(['PHARMACY_SECRET'])
  })

  it('let the EHR be reached by a token or by a client id with keys, and not by both', () => {
    const FHIR_BASE_URL = 'https://ehr.example/fhir'
    const client = { ...complete, FHIR_BASE_URL, FHIR_CLIENT_ID: 'pawl' }
    expect(namesIn(faultsOf(client))).toEqual(['FHIR_KEY_FILES'])
    const whole = { ...client, FHIR_KEY_FILES: '/keys/new.json, /keys/old.json' }
    expect(readConfig(whole).settings.FHIR_KEY_FILES).toEqual(['/keys/new.json', '/keys/old.json'])
    expect(namesIn(faultsOf({ ...whole, FHIR_TOKEN: 'canary' }))).toEqual(['FHIR_TOKEN'])
    expect(namesIn(faultsOf({ ...whole, FHIR_BASE_URL: '' }))).toEqual(['FHIR_BASE_URL'])
  })

  it('need the host key and a key or a password of a pharmacy that is told by SFTP, and no secret', () => {
    const told = { ...complete, PHARMACY_URL: 'sftp://pawl@pharmacy.example/in' }
    expect(namesIn(faultsOf(told))).toEqual(['PHARMACY_HOST_KEY', 'PHARMACY_PASSWORD'])
    const pinned = { ...told, PHARMACY_HOST_KEY: `SHA256:${'A'.repeat(43)}` }
    expect(namesIn(faultsOf(pinned))).toEqual(['PHARMACY_PASSWORD'])
    for (const identity of [{ PHARMACY_PASSWORD: 'canary' }, { PHARMACY_SSH_KEY_FILE: '/keys/sftp' }])
      expect(readConfig({ ...pinned, ...identity }).settings).toMatchObject(identity)
  })

  const wrong: Record<string, readonly string[]> = {
    ROLE: ['canary'],
    TZ: ['canary', 'America/Canary', 'america/new_york', 'US/eastern', ':/etc/localtime'],
    PORT: ['canary', '-1', '65536', '1.5'],
    ADMIN_PORT: ['canary'],
    ADMIN_PASSWORD: ['canary'],
    ADMIN_USERS: [
      'canary',
      '[]',
      JSON.stringify([{ name: 'canary', roles: ['operator'], password: 'canary' }]),
      JSON.stringify([{ ...entry, roles: ['canary'] }]),
      JSON.stringify([{ ...entry, name: 'can:ary' }]),
      JSON.stringify([entry, entry]),
    ],
    LOG_LEVEL: ['canary'],
    WEBHOOK_SECRETS: [`${secret},`, ',canary', 'canary,,canary'],
    MAX_IN_FLIGHT_BYTES: ['canary', '0'],
    MAX_BODY_BYTES: ['canary', '0', '999999999999'],
    API_BASE_URL: ['canary', 'ftp://canary', '//canary'],
    ENROLLMENT_BASE_URL: ['canary', 'ftp://canary', '//canary'],
    API_TOKEN: ['canary canary', 'canary\n', 'cänary'],
    DATABASE_URL: [
      'canary',
      'file:',
      'mysql://canary',
      '"postgres://pawl:canary@db/pawl"',
      ...['#', '12#', '/', '12/', '?', '12?'].map((start) => `postgres://pawl:${start}canary@db:5432/pawl`),
    ],
    SEALING: ['canary'],
    SEALING_KEYS: ['canary', Buffer.alloc(31).toString('base64'), `${Buffer.alloc(32).toString('base64')},canary`],
    QUEUE_URL: ['canary', 'http://canary', 'postgres://canary', 'redis://:1#canary@r', 'rediss://a:1/canary@r:6379'],
    CONCURRENCY: ['0'],
    REST_MS: ['canary'],
    LEASE_MS: ['canary'],
    RETRY_ATTEMPTS: ['canary'],
    RETRY_BASE_MS: ['canary'],
    RETRY_MAX_MS: ['canary'],
    SWEEP_INTERVAL_MS: ['canary'],
    POLL_INTERVAL_MS: ['canary'],
    SHUTDOWN_GRACE_MS: ['canary'],
    FHIR_BASE_URL: ['canary'],
    FHIR_TOKEN: ['canary canary'],
    FHIR_CLIENT_ID: ['canary canary'],
    FHIR_KEY_FILES: ['canary,', ',canary'],
    FHIR_SCOPES: ['canary  canary', ' canary', 'cänary'],
    FHIR_TOKEN_URL: ['canary'],
    FHIR_IDENTIFIER_BASE: ['canary'],
    PHARMACY_URL: ['canary', 'mysql://pawl:1#canary@db/pharmacy', 'https://pawl:1#canary@pharmacy.example'],
    PHARMACY_HOST_KEY: ['canary', 'SHA256:canary', `SHA256:${'A'.repeat(43)},`],
    PHARMACY_FILE_FORMAT: ['canary'],
    PHARMACY_BATCH_MS: ['canary', '-1', '60001'],
    PHARMACY_SECRET: [
      'canary',
      'whsec_canary',
      `whsec_${'A'.repeat(32)},canary`,
      `"whsec_${'A'.repeat(32)}"`,
      `whsec_${'A_'.repeat(16)}`,
    ],
    PHARMACY_TABLE: ['canary canary', 'a.b.canary', '"canary"'],
    PHARMACY_TABLE_MODE: ['canary'],
    PHARMACY_COLUMNS: ['canary', '["canary"]', '{"canary":1}'],
    PHARMACY_ROUTES: [
      'canary',
      '{"canary":{}}',
      '{"1234567":{"url":"canary"}}',
      '{"1234567":{"url":"https://canary","secret":"canary"}}',
    ],
  }
  const pairs = Object.entries(wrong).flatMap(([name, values]) => values.map((value) => ({ name, value })))
  it.each(pairs)('are refused by name and never by value: $name=$value', ({ name, value }) => {
    const others = {
      PHARMACY_SECRET: `whsec_${'A'.repeat(32)}`,
      FHIR_BASE_URL: 'https://ehr.example',
      FHIR_KEY_FILES: 'key.json',
      SEALING_KEYS: Buffer.alloc(32).toString('base64'),
    }
    const message = faultsOf({ ...complete, ...others, [name]: value })
    expect(namesIn(message)).toEqual([name])
    expect(message).not.toMatch(/canary|cänary/)
  })

  it.each([
    'postgres://pawl:p%23ss@db:5432/pawl?sslmode=verify-full',
    'postgres://pawl:p@ss@db/pawl',
    'postgres:///pawl?host=/var/run/postgresql&user=pawl@server',
    'postgres://pawl:password@/pawl?host=/var/run/postgresql',
    'postgres://pawl@%2Fvar%2Frun%2Fpostgresql/pawl',
    'postgresql://clinic_a:password@127.0.0.1:5432/pawl?options=-c%20search_path%3Dclinic_a',
  ])('have a DATABASE_URL that PostgreSQL reads as it is: %s', (DATABASE_URL) => {
    expect(readConfig({ ...complete, DATABASE_URL }).databaseUrl).toBe(DATABASE_URL)
  })

  it('in JSON are told by the number of the entry and its field', () => {
    const corner = { ncpdp_ids: ['1234567'], key: 'k'.repeat(32) }
    const keys = (wrong: object) =>
      faultsOf({ ...complete, PHARMACY_FEED_KEYS: JSON.stringify({ corner, canary: { ...corner, ...wrong } }) })
    expect(keys({ ncpdp_ids: ['7654321', 123], key: 'l'.repeat(32) })).toContain('; wrong in entry 2, ncpdp_ids, 1')
    expect(keys({ ncpdp_ids: ['7654321'], key: 'canary' })).toContain('; wrong in entry 2, key')
  })

  it('tell all their faults at once: of one setting, of several together, of what is missing', () => {
    const faulty = Object.fromEntries(Object.entries(wrong).map(([name, [value]]) => [name, value]))
    expect([...new Set(namesIn(faultsOf(faulty)))].toSorted()).toEqual(Object.keys(wrong).toSorted())
    const mixed = { PORT: 'canary', ADMIN_HOST: '0.0.0.0', PHARMACY_URL: 'http://127.0.0.1', API_TOKEN: 'canary-token' }
    expect(namesIn(faultsOf(mixed))).toEqual([
      'PORT',
      'WEBHOOK_SECRETS',
      'API_BASE_URL',
      'PHARMACY_SECRET',
      'ADMIN_PASSWORD',
    ])
  })

  it('tell the command line where the admin listener is, with the same refusals', () => {
    expect(readAdminAddress({ ADMIN_PORT: '' })).toEqual({ url: 'http://127.0.0.1:3001' })
    expect(readAdminAddress({ ADMIN_HOST: '::1', ADMIN_PORT: '1', ADMIN_PASSWORD: 'twelve-chars' })).toEqual({
      url: 'http://[::1]:1',
      password: 'twelve-chars',
    })
    expect(() => readAdminAddress({ ADMIN_PORT: 'canary' })).toThrow(ConfigInvalid)
  })
})

describe('settings of an integration', () => {
  const own = { BILLING_URL: z.url(), BILLING_LIMIT: z.coerce.number().default(3) }

  it('are read and checked with all others', () => {
    const { settings } = readConfig({ ...complete, BILLING_URL: 'http://127.0.0.1' }, own)
    expect(settings).toMatchObject({ BILLING_URL: 'http://127.0.0.1', BILLING_LIMIT: 3, ROLE: 'all' })
    const faulty = { ...complete, PORT: 'canary', BILLING_URL: 'canary' }
    expect(() => readConfig(faulty, own)).toThrow(/PORT: .*\n {2}BILLING_URL: /)
  })

  it('hold those of the connectors that it names, with their checks and warnings, and of no other', () => {
    const ofPharmacy = { PHARMACY_URL: 'https://pharmacy.example' }
    expect(namesIn(faultsOf({ ...complete, ...ofPharmacy }))).toEqual(['PHARMACY_SECRET'])
    const chart = { FHIR_BASE_URL: 'https://ehr.example', FHIR_TOKEN: 'canary', FHIR_KEY_FILES: '/keys/new.json' }
    const config = readWith(
      { ...complete, ...ofPharmacy, ...chart, NODE_ENV: 'production', SEALING: 'off' },
      fhirSettings,
    )
    expect(Object.keys(config.settings).filter((name) => name.startsWith('PHARMACY_'))).toEqual([])
    expect(config.sources).toContainEqual({ name: 'FHIR_TOKEN', source: 'environment', isOwn: false })
    expect(config.credentials).toEqual({ api: 'API_TOKEN', ehr: 'FHIR_KEY_FILES' })
    expect(warningsFor(config).map(({ says }) => says)).toContainEqual(expect.stringMatching(/^FHIR_IDENTIFIER_BASE /))
    const lone = readWith({ ...complete, FHIR_TOKEN: 'canary' }, fhirSettings)
    expect(warningsFor(lone).map(({ says }) => says)).toContain('FHIR_TOKEN is set, but FHIR_BASE_URL is not')
  })

  it('that is no number is refused in words of its own, which point to an example that exists', () => {
    const own = { BILLING_DAYS: z.coerce.number() }
    const example = 'src/integration/.env.example'
    const pages = existsSync(example) ? `.env.example and ${example}` : '.env.example'
    expect(() => readConfig({ ...complete, BILLING_DAYS: 'ten' }, own)).toThrow(
      `Fix these settings (see ${pages}):\n  BILLING_DAYS: must be a number`,
    )
  })

  it('cannot take the name of another, nor one that is no name', () => {
    expect(() => readConfig(complete, { PORT: z.string() })).toThrow('PORT is a setting of pawl itself')
    expect(() => readConfig(complete, { billingUrl: z.string() })).toThrow('billingUrl')
  })
})

/** Lines of pawl's own example, and of the fork's beside its integration where there is one. */
async function readExample(): Promise<string[]> {
  const own = new URL('../../src/integration/.env.example', import.meta.url)
  const texts = [
    await readFile(new URL('../../.env.example', import.meta.url), 'utf8'),
    existsSync(own) ? await readFile(own, 'utf8') : '',
  ]
  return texts.flatMap((text) => text.split('\n'))
}

describe('a page of docs/', async () => {
  const folder = new URL('../../docs/', import.meta.url)
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md'))

  it.each(names)('%s tells of settings what their schemas say: npm run write-settings', async (name) => {
    const page = await readFile(new URL(name, folder), 'utf8')
    expect(page).toBe(fillDocument(page))
  })

  it('has its tables and numbers filled in', () => {
    const page =
      '| setting | default | meaning |\n| --- | --- | --- |\n| `START_PAUSED` | | |\n\n`ALERT_AWAY_MINUTES` (99)\n'
    const filled = fillDocument(page)
    expect(filled).toMatch(/^\| `START_PAUSED` +\| `false` +\| Whether every start pauses all work/m)
    expect(filled).toMatch(/\n\n`ALERT_AWAY_MINUTES` \(2\)\n$/)
    expect(() => fillDocument('`NO_SETTING` (1)')).toThrow('NO_SETTING')
  })
})

describe('.env.example', async () => {
  const shape = { ...Environment.shape, ...integration.settings }
  const lines = await readExample()
  const settings = lines.flatMap((line, index) => {
    const [, commented, name, value] = /^(#?)([A-Z0-9_]+)=(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [{ name, value, isDefault: commented === '#', comment: lines[index - 1] ?? '' }]
  })

  it('is as the schemas of the settings describe it: npm run write-settings', async () => {
    expect(await readFile(new URL('../../.env.example', import.meta.url), 'utf8')).toBe(renderEnvExample())
  })

  it('names every setting, each once, and no other', () => {
    expect(settings.map(({ name }) => name).toSorted()).toEqual(Object.keys(shape).toSorted())
  })

  it('becomes valid settings once the required values are filled in', () => {
    const filled = Object.fromEntries(settings.map(({ name, value }) => [name, value]))
    // Whether they were given is all that differs.
    const withoutSources = (config: Config) => ({ ...config, sources: [] })
    expect(withoutSources(readConfig({ ...filled, ...complete }))).toEqual(withoutSources(readConfig(complete)))
  })
})
