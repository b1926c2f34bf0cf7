import type { FaultEntry } from './fault-entry.ts'

const disk = {
  todo: 'Make room in {folder}, sparing {files}.',
  note: "{megabytes} MB are left; below 64 MB deliveries are turned away. Never delete a file whose name begins with the ledger's.",
  command: '{df}',
  runbook: 'the-disk-is-nearly-full',
} as const satisfies Partial<FaultEntry>

const blocked = {
  severity: 'bad',
  title: 'The ledger takes no writes',
  effect: 'Deliveries are answered 503, and work waits.',
  command: 'pawl doctor',
  runbook: 'the-ledger-takes-no-writes',
} as const satisfies Partial<FaultEntry>

/** Faults of the ledger, its trail and backups, and of the alerts themselves. */
export const upkeepFaults = {
  ledger_locked: { ...blocked, todo: 'End that transaction.' },
  ledger_read_only: { ...blocked, todo: 'Let DATABASE_URL lead to the primary.' },
  ledger_silent: { ...blocked, todo: 'See whether the database answers.' },
  disk_full: {
    ...disk,
    severity: 'bad',
    title: 'Deliveries have been turned away',
    effect: 'Some may be missed.',
  },
  disk_low: { ...disk, severity: 'warn', title: 'The disk is nearly full' },
  clock_wrong: {
    severity: 'warn',
    title: "This machine's clock is {by} {way} the service's",
    isDated: true,
    effect: 'Deliveries may be refused.',
    todo: 'Sync it (NTP).',
    note: 'Times on pages, in alerts and in the audit trail are wrong by as much.',
    command: 'pawl doctor',
    runbook: 'this-machines-clock-is-wrong',
  },
  log_large: {
    severity: 'warn',
    title: "A long read keeps the ledger's log from being emptied",
    todo: "End what reads the ledger's file.",
    note: 'The log has {megabytes} MB. Such a read is a shell of sqlite3, or a backup; never delete the log.',
    runbook: 'the-disk-is-nearly-full',
  },
  audit: {
    severity: 'bad',
    title: 'The audit trail has been broken',
    effect: 'All work continues.',
    todo: 'Find out who can write to the ledger.',
    note: 'Rows were changed, cut off or restored, or SEALING_KEYS changed without the old key. Verifying names the rows; acknowledge it with a reason then.',
    page: '/audit',
    act: 'Verify the trail',
    command: 'pawl audit verify',
    runbook: 'the-audit-trail-is-broken',
  },
  audit_head: {
    severity: 'wait',
    title: 'The audit trail ends with {head}',
    isDated: true,
    todo: 'Keep this message where pawl cannot change it.',
    note: 'With this head, the command finds a trail put back since.',
    page: '/audit',
    act: 'See the trail',
    command: 'pawl audit verify --head {head}',
    runbook: 'the-audit-trail-is-broken',
  },
  retention: {
    severity: 'warn',
    title: 'Old contents have not been deleted for {count} h',
    isDated: true,
    todo: 'Does a worker run?',
    note: 'See the lines "retention failed" in the log.',
    command: 'pawl ledger purge',
    runbook: 'old-contents-are-not-deleted',
  },
  no_backup: {
    severity: 'warn',
    title: 'There is no backup',
    isDated: true,
    todo: 'Check the backup job, and the path in ALERT_BACKUP_FILE.',
    runbook: 'there-is-no-new-backup',
  },
  old_backup: {
    severity: 'warn',
    title: 'The newest backup is {count} h old',
    isDated: true,
    todo: 'Check the backup job, and the path in ALERT_BACKUP_FILE.',
    runbook: 'there-is-no-new-backup',
  },
  target: {
    severity: 'bad',
    title: 'Alerts do not reach the target {name}',
    effect: '{count} attempts failed.',
    todo: 'Is its address right, and does it answer?',
    page: '/alerts',
    act: 'See the alert',
    command: 'pawl alerts test',
    runbook: 'alerts-do-not-arrive',
  },
} as const satisfies Record<string, FaultEntry>
