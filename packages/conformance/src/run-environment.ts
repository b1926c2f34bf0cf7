import { accessSync, constants } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { graceMs } from './supervisor.ts'

/** Settings for quick retries and short stops. */
export const quickSettings = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'info',
  PORT: '0',
  ADMIN_PORT: '0',
  REST_MS: '20',
  LEASE_MS: '2000',
  RETRY_ATTEMPTS: '12',
  RETRY_BASE_MS: '20',
  RETRY_MAX_MS: '200',
  BREAKER_COOLDOWN_MS: '100',
  SWEEP_INTERVAL_MS: '200',
  POLL_INTERVAL_MS: '200',
  SHUTDOWN_GRACE_MS: String(graceMs),
}

/** A memory-backed folder if there is one: processes are killed, but power does not fail, so the ledger need not reach a disk. */
export function scratchFolder(): string {
  const inMemory = '/dev/shm'
  try {
    accessSync(inMemory, constants.W_OK)
    return inMemory
  } catch {
    return tmpdir()
  }
}

/** How much to stretch waits when the machine has more work than processors. */
export function slowness(): number {
  const [load = 0] = loadavg()
  return Math.min(8, Math.max(1, load / availableParallelism()))
}
