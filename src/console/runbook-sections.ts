/** Sections of docs/runbook.md. */
export const runbookSections = {
  chart: 'the-chart-is-down',
  refusal: 'the-chart-refuses-pawl',
  secret: 'the-webhook-secret-was-changed',
  parked: 'a-handlers-bug-parked-work',
  token: 'the-api-token-expired',
  backup: 'a-backup-was-restored',
  worker: 'no-worker-runs',
  disk: 'the-disk-is-nearly-full',
} as const
