/** Sections of docs/runbook.md. */
export const runbookSections = {
  chart: 'the-chart-is-down',
  refusedLogin: 'the-chart-refuses-pawls-login',
  refusedRight: 'the-chart-refuses-pawl-a-right',
  refusedRequest: 'the-chart-refuses-one-kind-of-request',
  secret: 'the-webhook-secret-was-changed',
  parked: 'a-handlers-bug-parked-work',
  erasure: 'a-patient-asks-for-erasure',
  token: 'the-api-token-expired',
  backup: 'a-backup-was-restored',
  worker: 'no-worker-runs',
  disk: 'the-disk-is-nearly-full',
} as const
