import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { Environment } from '../../../../src/settings/environment.ts'
import { DevRefused } from '@pawl/testing/dev-refused'

/** Settings of `.env` in the root, overridden by the environment; empty settings are absent. */
export function readGiven(root: string): Record<string, string> {
  const path = join(root, '.env')
  const file = existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {}
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries({ ...file, ...process.env }))
    if (value !== undefined && value !== '') given[name] = value
  return given
}

/** Defaults of a gateway in development: short retries, fast shutdown. */
export function developmentDefaults(): Record<string, string> {
  return {
    NODE_ENV: 'development',
    WEBHOOK_SECRETS: randomBytes(32).toString('hex'),
    SHUTDOWN_GRACE_MS: '2000',
    RETRY_BASE_MS: '1000',
    BREAKER_COOLDOWN_MS: '3000',
  }
}

const Listening = Environment.pick({
  HOST: true,
  PORT: true,
  ADMIN_HOST: true,
  ADMIN_PORT: true,
  WEBHOOK_SECRETS: true,
})

/** Ports of the gateway, and the secret that signs its webhooks. */
export interface GatewayAddress {
  host: string
  port: number
  adminHost: string
  adminPort: number
  secret: string
}

/** Reads the gateway's settings that the environment needs. Throws `DevRefused` with names, never values. */
export function readGatewayAddress(settings: Record<string, string>): GatewayAddress {
  const { data, error } = Listening.safeParse(settings)
  if (data === undefined) {
    const faults = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new DevRefused(`Fix these settings (see .env.example):\n  ${faults.join('\n  ')}`)
  }
  const { HOST: host, PORT: port, ADMIN_HOST: adminHost, ADMIN_PORT: adminPort, WEBHOOK_SECRETS: secrets } = data
  if (port === 0 || adminPort === 0)
    throw new DevRefused('PORT and ADMIN_PORT must be fixed: give them numbers from 1, or use --port and --admin-port.')
  // The first secret signs; the defaults guarantee one.
  return { host, port, adminHost, adminPort, secret: secrets?.[0] ?? '' }
}
