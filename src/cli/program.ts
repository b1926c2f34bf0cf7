import { Command, type CommanderError } from 'commander'
import { ownPackage } from '@pawl/base/own-package'
import { showHidden } from '@pawl/base/show-hidden'
import type { AskAdmin } from './admin-client.ts'
import type { Print } from './output.ts'

interface CommandDeps {
  ask: AskAdmin
  print: Print
  /** Clears a terminal, for what is watched. */
  clear: () => void
}

interface ProgramDeps extends Omit<CommandDeps, 'clear'>, Partial<Pick<CommandDeps, 'clear'>> {
  /** Handles wrong arguments and the end of a help; all messages are printed by then. */
  end: (error: CommanderError) => never
}

/** Every command, in the order of the help. Each is loaded when it is asked for: all of them together take longer to load than most take to run. */
const parts: readonly {
  names: readonly string[]
  add: (...to: [program: Command, deps: CommandDeps]) => Promise<void>
}[] = [
  { names: ['status'], add: async (...to) => (await import('./status-command.ts')).addStatusCommand(...to) },
  { names: ['alerts'], add: async (...to) => (await import('./alerts-command.ts')).addAlertsCommand(...to) },
  { names: ['handlers'], add: async (...to) => (await import('./handlers-command.ts')).addHandlersCommand(...to) },
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
  { names: ['check'], add: async (...to) => (await import('./check-command.ts')).addCheckCommand(...to) },
  { names: ['ehr'], add: async (...to) => (await import('./ehr-commands.ts')).addEhrCommands(...to) },
  { names: ['doctor'], add: async (...to) => (await import('./doctor-command.ts')).addDoctorCommand(...to) },
  {
    names: ['new'],
    add: async (program, { print }) => (await import('./new-command.ts')).addNewCommand(program, { print }),
  },
  { names: ['init'], add: async (...to) => (await import('./init-command.ts')).addInitCommand(...to) },
  { names: ['run'], add: async (program) => (await import('./run-command.ts')).addRunCommand(program) },
  { names: ['ledger'], add: async (...to) => (await import('./ledger-command.ts')).addLedgerCommand(...to) },
  { names: ['keys'], add: async (...to) => (await import('./keys-command.ts')).addKeysCommand(...to) },
  { names: ['pharmacy'], add: async (...to) => (await import('./pharmacy-command.ts')).addPharmacyCommand(...to) },
  { names: ['sandbox'], add: async (program) => (await import('./sandbox-command.ts')).addSandboxCommand(program) },
  {
    names: ['conformance'],
    add: async (...to) => (await import('./conformance-command.ts')).addConformanceCommand(...to),
  },
  { names: ['play'], add: async (...to) => (await import('./play-command.ts')).addPlayCommand(...to) },
  { names: ['send'], add: async (...to) => (await import('./send-command.ts')).addSendCommand(...to) },
  { names: ['forward'], add: async (...to) => (await import('./forward-command.ts')).addForwardCommand(...to) },
  { names: ['secrets'], add: async (...to) => (await import('./secrets-command.ts')).addSecretsCommand(...to) },
  { names: ['users'], add: async (...to) => (await import('./users-command.ts')).addUsersCommand(...to) },
]

/** The whole command line; with the first word of a call, no more of it than that word needs. */
export async function createProgram({ end, clear = () => {}, ...rest }: ProgramDeps, word?: string): Promise<Command> {
  const deps = { clear, ...rest }
  const program = new Command('pawl')
    .description(
      'Operates a running pawl through its admin listener (ADMIN_HOST, ADMIN_PORT, ADMIN_USER, ADMIN_PASSWORD).',
    )
    .version(ownPackage().version, '--version', 'print the version of pawl')
    // One line: the error, a suggestion, and where the help is.
    .configureOutput({
      outputError: (text, write) => write(`${showHidden(text.trim().replaceAll('\n', ' '))} See --help.\n`),
    })
    .exitOverride(end)
  const asked = parts.find(({ names }) => word !== undefined && names.includes(word))
  for (const { add } of asked ? [asked] : parts) await add(program, deps)
  return program
}
