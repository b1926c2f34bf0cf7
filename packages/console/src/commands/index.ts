import type { Command } from 'commander'
import type { AskAdmin } from './admin-client.ts'
import type { Print } from './output.ts'

/** What a command may use. */
export interface CommandDeps {
  ask: AskAdmin
  print: Print
  /** Clears the terminal, for `--watch`. */
  clear: () => void
}

/** Headings of the help, in its order. */
export const commandGroups = {
  look: 'See how it stands:',
  work: 'Steer work:',
  service: 'Ask the service:',
  setUp: 'Set up and check:',
  data: 'Keep, move and erase data:',
  develop: 'Develop:',
} as const

/** Commands that are loaded together, once one of them is called. */
export interface CommandPart {
  names: readonly string[]
  group: keyof typeof commandGroups
  add: (...to: [program: Command, deps: CommandDeps]) => Promise<void>
}

/** The commands over the admin API, in the order of the help. */
export const consoleCommands: readonly CommandPart[] = [
  {
    names: ['status'],
    group: 'look',
    add: async (...to) => (await import('./status-command.ts')).addStatusCommand(...to),
  },
  {
    names: ['alerts'],
    group: 'look',
    add: async (...to) => (await import('./alerts-command.ts')).addAlertsCommand(...to),
  },
  { names: ['show'], group: 'look', add: async (...to) => (await import('./show-command.ts')).addShowCommand(...to) },
  { names: ['due'], group: 'work', add: async (...to) => (await import('./due-command.ts')).addDueCommand(...to) },
  {
    names: ['parked', 'retry'],
    group: 'work',
    add: async (...to) => (await import('./parked-commands.ts')).addParkedCommands(...to),
  },
  {
    names: ['discard'],
    group: 'work',
    add: async (...to) => (await import('./discard-command.ts')).addDiscardCommand(...to),
  },
  {
    names: ['events', 'resources'],
    group: 'look',
    add: async (...to) => (await import('./browse-commands.ts')).addBrowseCommands(...to),
  },
  {
    names: ['pause', 'resume'],
    group: 'work',
    add: async (...to) => (await import('./pause-commands.ts')).addPauseCommands(...to),
  },
  {
    names: ['probe'],
    group: 'work',
    add: async (...to) => (await import('./probe-command.ts')).addProbeCommand(...to),
  },
  {
    names: ['start'],
    group: 'service',
    add: async (...to) => (await import('./start-command.ts')).addStartCommand(...to),
  },
  {
    names: ['sync'],
    group: 'service',
    add: async (...to) => (await import('./sync-command.ts')).addSyncCommand(...to),
  },
  {
    names: ['reconcile'],
    group: 'service',
    add: async (...to) => (await import('./reconcile-command.ts')).addReconcileCommand(...to),
  },
  {
    names: ['purge'],
    group: 'data',
    add: async (...to) => (await import('./purge-command.ts')).addPurgeCommand(...to),
  },
  {
    names: ['report'],
    group: 'look',
    add: async (...to) => (await import('./report-command.ts')).addReportCommand(...to),
  },
  {
    names: ['audit'],
    group: 'look',
    add: async (...to) => (await import('./audit-command.ts')).addAuditCommand(...to),
  },
]
