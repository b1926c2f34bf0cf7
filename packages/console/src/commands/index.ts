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

/** Commands that are loaded together, once one of them is called. */
export interface CommandPart {
  names: readonly string[]
  add: (...to: [program: Command, deps: CommandDeps]) => Promise<void>
}

/** The commands over the admin API, in the order of the help. */
export const consoleCommands: readonly CommandPart[] = [
  { names: ['status'], add: async (...to) => (await import('./status-command.ts')).addStatusCommand(...to) },
  { names: ['alerts'], add: async (...to) => (await import('./alerts-command.ts')).addAlertsCommand(...to) },
  { names: ['show'], add: async (...to) => (await import('./show-command.ts')).addShowCommand(...to) },
  { names: ['due'], add: async (...to) => (await import('./due-command.ts')).addDueCommand(...to) },
  { names: ['parked', 'retry'], add: async (...to) => (await import('./parked-commands.ts')).addParkedCommands(...to) },
  { names: ['discard'], add: async (...to) => (await import('./discard-command.ts')).addDiscardCommand(...to) },
  {
    names: ['events', 'resources'],
    add: async (...to) => (await import('./browse-commands.ts')).addBrowseCommands(...to),
  },
  { names: ['pause', 'resume'], add: async (...to) => (await import('./pause-commands.ts')).addPauseCommands(...to) },
  { names: ['probe'], add: async (...to) => (await import('./probe-command.ts')).addProbeCommand(...to) },
  { names: ['start'], add: async (...to) => (await import('./start-command.ts')).addStartCommand(...to) },
  { names: ['sync'], add: async (...to) => (await import('./sync-command.ts')).addSyncCommand(...to) },
  { names: ['reconcile'], add: async (...to) => (await import('./reconcile-command.ts')).addReconcileCommand(...to) },
  { names: ['purge'], add: async (...to) => (await import('./purge-command.ts')).addPurgeCommand(...to) },
  { names: ['report'], add: async (...to) => (await import('./report-command.ts')).addReportCommand(...to) },
  { names: ['audit'], add: async (...to) => (await import('./audit-command.ts')).addAuditCommand(...to) },
]
