/** Single settings, for commands that need only these. */
import { nearestUrl } from '@pawl/base/net/nearest-url'
import { sealingFrom, type Sealing } from '@pawl/ledger/settings'
import { Environment } from './environment.ts'
import { parseSettings } from './parse-settings.ts'

/** Address of a running gateway's admin listener, for the command line. Throws `ConfigInvalid`. */
export function readAdminAddress(env: Record<string, string | undefined>): {
  url: string
  user: string | undefined
  password: string | undefined
} {
  const names = { ADMIN_HOST: true, ADMIN_PORT: true, ADMIN_USER: true, ADMIN_PASSWORD: true } as const
  const settings = parseSettings(Environment.pick(names), env)
  const { ADMIN_HOST: host, ADMIN_PORT: port, ADMIN_USER: user, ADMIN_PASSWORD: password } = settings
  return { url: nearestUrl({ host, port }), user, password }
}

/** DATABASE_URL alone, to read the ledger directly. Throws `ConfigInvalid`. */
export function readDatabaseUrl(env: Record<string, string | undefined>): string {
  return parseSettings(Environment.pick({ DATABASE_URL: true }), env).DATABASE_URL
}

/** The keys that seal and sign the ledger, and whether the command line also reads plain values. Throws `ConfigInvalid`. */
export function readSealing(env: Record<string, string | undefined>): Sealing {
  return sealingFrom(parseSettings(Environment.pick({ SEALING_KEYS: true, SEALING: true }), env))
}

/** Health check of a running pawl: the public listener, or the admin listener of a worker, which has no other. Throws `ConfigInvalid`. */
export function readHealthAddress(env: Record<string, string | undefined>): string {
  const names = { ROLE: true, HOST: true, PORT: true, ADMIN_HOST: true, ADMIN_PORT: true } as const
  const { ROLE, HOST, PORT, ADMIN_HOST, ADMIN_PORT } = parseSettings(Environment.pick(names), env)
  const [host, port, path] = ROLE === 'worker' ? [ADMIN_HOST, ADMIN_PORT, '/readyz'] : [HOST, PORT, '/healthz']
  return `${nearestUrl({ host, port })}${path}`
}

/** Local address of deliveries, and the secret that signs them. Throws `ConfigInvalid`. */
export function readDeliveryTarget(env: Record<string, string | undefined>): {
  url: string
  secret: string | undefined
} {
  const names = { HOST: true, PORT: true, WEBHOOK_SECRETS: true } as const
  const { HOST, PORT, WEBHOOK_SECRETS } = parseSettings(Environment.pick(names), env)
  return { url: `${nearestUrl({ host: HOST, port: PORT })}/webhooks`, secret: WEBHOOK_SECRETS?.[0] }
}
