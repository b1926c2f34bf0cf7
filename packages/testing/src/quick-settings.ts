/** Settings for tests: free ports, quick retries, no output. */
export const quickSettings = {
  PORT: '0',
  ADMIN_PORT: '0',
  LOG_LEVEL: 'silent',
  REST_MS: '20',
  RETRY_BASE_MS: '20',
  RETRY_MAX_MS: '200',
  RETRY_ATTEMPTS: '4',
  BREAKER_COOLDOWN_MS: '100',
  SHUTDOWN_GRACE_MS: '500',
}
