import type { FaultEntry } from './fault-entry.ts'

const refused = {
  severity: 'bad',
  title: 'Deliveries have been refused',
  effect: '{count} within {span}.',
  page: '/rejections?reason={reason}',
  act: 'See the rejections',
  isOptional: true,
} as const satisfies Partial<FaultEntry>

const ask = {
  isPast: true,
  page: '/ask?since={since}',
  act: 'Ask the service',
  isOptional: true,
  command: 'pawl reconcile --since {reach}',
} as const satisfies Partial<FaultEntry>

const newCases = {
  isPast: true,
  severity: 'warn',
  todo: 'Read them by id.',
  note: 'pawl learns of cases that were new then by their next webhook only.',
  page: '/ask#resources',
  act: 'Read them by id',
  runbook: 'new-cases-may-be-missing',
} as const satisfies Partial<FaultEntry>

/** Deliveries that are not accepted, and the catching up afterwards. */
export const deliveryFaults = {
  disk_room_again: {
    ...ask,
    severity: 'warn',
    title: 'The disk has room again',
    effect: 'Deliveries were turned away before.',
    todo: 'Ask for them.',
    note: 'The service gives up sending after a while.',
    runbook: 'the-disk-is-nearly-full',
  },
  turned_away: {
    severity: 'bad',
    title: 'Deliveries have been turned away',
    effect: '{count} within two minutes.',
    todo: 'Does the ledger answer, is the load too high?',
    note: 'The service sends them again.',
    command: 'pawl doctor',
    runbook: 'deliveries-are-turned-away',
  },
  turned_away_locked: {
    severity: 'bad',
    title: 'Deliveries have been turned away',
    effect: '{count} within two minutes.',
    todo: 'End the transaction that locks the ledger.',
    note: 'The log names its process ("the ledger takes no writes"). The service sends these deliveries again.',
    command: 'pawl status',
    runbook: 'the-ledger-takes-no-writes',
  },
  secret_wrong: {
    ...refused,
    todo: "Set the service's new secret in WEBHOOK_SECRETS, restart.",
    note: '{check} The people of the service have the new one. If the service changed no secret, it may be an attack: change nothing. Afterwards, a button on the overview asks for the refused deliveries.',
    command: 'pawl status',
    runbook: 'the-webhook-secret-was-changed',
  },
  refused_by_clock: {
    ...refused,
    todo: "Set this machine's clock right (NTP).",
    note: '{check}',
    command: 'pawl doctor',
    runbook: 'this-machines-clock-is-wrong',
  },
  refused: {
    ...refused,
    todo: 'Find out why.',
    note: '{check}',
    command: 'pawl status',
    runbook: 'the-webhook-secret-was-changed',
  },
  accepted_again: {
    ...ask,
    severity: 'warn',
    title: 'Deliveries are accepted again',
    effect: '{count} were refused within an hour ({reason}).',
    todo: 'Ask for them.',
    runbook: 'the-webhook-secret-was-changed',
  },
  none_refused_since_start: {
    ...ask,
    severity: 'wait',
    title: 'No delivery was refused since this start',
    todo: 'Ask for the earlier ones.',
    note: 'They were refused as {reason}. The next delivery shows whether pawl accepts them now.',
    runbook: 'the-webhook-secret-was-changed',
  },
  new_cases: {
    ...newCases,
    title: 'New cases may be missing',
    effect: 'Their requesters have the ids.',
  },
  other_new_cases: { ...newCases, title: 'Other new cases may be missing', effect: '{read} read by id.' },
  deliveries_missing: {
    ...ask,
    severity: 'warn',
    title: 'Deliveries may be missing',
    todo: 'Ask for them.',
    runbook: 'a-backup-was-restored',
  },
} as const satisfies Record<string, FaultEntry>
