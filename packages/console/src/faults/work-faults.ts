import type { FaultEntry } from './fault-entry.ts'

const parked = {
  severity: 'bad',
  title: '{cases} parked',
  effect: 'Nothing lost.',
  page: '/parked?{query}',
  act: 'See and retry',
  command: 'pawl retry {filter}',
  runbook: 'a-handlers-bug-parked-work',
} as const satisfies Partial<FaultEntry>

const paused = {
  severity: 'wait',
  title: '{What} has been paused',
  effect: '{waiting}',
  page: '/handlers/pause?{query}',
  act: 'Resume {what}',
  isOptional: true,
  command: 'pawl resume {filter}',
} as const satisfies Partial<FaultEntry>

/** Faults of work. */
export const workFaults = {
  start_paused_set: {
    severity: 'warn',
    title: 'START_PAUSED is still in the settings',
    todo: 'Take it out, then restart pawl.',
    note: 'Otherwise, the next start pauses all work again.',
    runbook: 'a-backup-was-restored',
  },
  paused: {
    ...paused,
    todo: 'Resume it once the reason is gone.',
    note: 'Nothing is lost. {person} knows the reason.',
    runbook: 'work-is-paused',
  },
  paused_at_start: {
    ...paused,
    todo: 'Repeat the erasures, then resume.',
    note: 'START_PAUSED paused it. If a backup was restored, first repeat all erasures made since that backup; then resume, and ask the service.',
    runbook: 'a-backup-was-restored',
  },
  parked: { ...parked, todo: 'Fix it, then:', note: '{said}', isOptional: true },
  bug: {
    ...parked,
    todo: 'Once fixed:',
    note: 'In {handlers}. Its developers fix it and restart pawl, or deploy the previous release. New work is parked, too, after its last attempt.',
    isOptional: true,
  },
  resource_refused: {
    ...parked,
    todo: 'See what it refuses.',
    note: '{said} Nothing else waits for it. A setting, or a retry without what it names, writes it otherwise.',
    act: 'See the refusal',
    command: 'pawl parked {filter}',
    runbook: 'the-chart-refuses-one-resource',
  },
  unknown_here: {
    ...parked,
    todo: 'Does the service know them now?',
    note: 'In {handlers}. Discard them if it never will.',
    isOptional: true,
  },
  retried: {
    severity: 'wait',
    title: '{cases} failing',
    effect: 'pawl retries it.',
    todo: 'Look why, if it lasts.',
    note: 'More than half of its attempts are left.',
    page: '/parked?{query}',
    act: 'See why',
    command: 'pawl due {filter}',
    runbook: 'a-handlers-bug-parked-work',
  },
  failing: {
    severity: 'warn',
    title: '{cases} failing',
    effect: 'Half of the attempts are used.',
    todo: 'See what fails.',
    note: 'pawl retries it until it is parked.',
    page: '/parked?{query}',
    act: 'See and retry',
    command: 'pawl due {filter}',
    runbook: 'a-handlers-bug-parked-work',
  },
  overdue: {
    severity: 'bad',
    title: 'Work has been due for {count} min',
    isDated: true,
    todo: 'Does a worker run, are there enough of them?',
    note: 'Work that waits for a pause or a system does not count.',
    command: 'pawl status',
    runbook: 'no-worker-runs',
  },
  no_worker: {
    severity: 'bad',
    title: 'No worker has begun work',
    effect: '{due}',
    todo: 'Start one.',
    note: 'No run of a handler has ended within ten seconds. A worker that was just started needs some seconds.',
    command: 'pawl status',
    runbook: 'no-worker-runs',
  },
  workers_behind: {
    severity: 'wait',
    title: 'Workers are behind',
    effect: '{due}',
    todo: 'Wait, as long as that number falls.',
    note: 'They have ended runs within the last ten seconds. If the number grows, add a worker.',
    command: 'pawl status',
    runbook: 'no-worker-runs',
  },
} as const satisfies Record<string, FaultEntry>
