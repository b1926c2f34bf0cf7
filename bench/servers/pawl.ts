import { readConfig } from '../../src/config.ts'
import { startGateway } from '../../src/gateway.ts'
import { secret } from '../envelopes.ts'

/** pawl as a receiver: verified, de-duplicated, committed with fsync, rung. */
const config = readConfig({
  ROLE: 'receiver',
  PORT: '0',
  ADMIN_PORT: '0',
  LOG_LEVEL: 'warn',
  WEBHOOK_SECRETS: secret,
  ...process.env,
})
const gateway = await startGateway(config)
process.send?.({ port: Number(new URL(gateway.url ?? '').port) })
process.once('SIGTERM', () => void gateway.close().then(() => process.disconnect()))
