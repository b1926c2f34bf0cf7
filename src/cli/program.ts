import { Command, type CommanderError, Help } from 'commander'
import { ownPackage } from '@pawl/base/own-package'
import { showHidden } from '@pawl/base/show-hidden'
import { type CommandDeps, commandGroups, type CommandPart, consoleCommands } from '@pawl/console/commands'

interface ProgramDeps extends Omit<CommandDeps, 'clear'>, Partial<Pick<CommandDeps, 'clear'>> {
  /** Called for wrong arguments and after help, once all messages are printed. */
  end: (error: CommanderError) => never
}

/** Width of the help, in characters. */
const helpWidth = 80

/** Every command, in the order of the help within its group. Each is loaded on demand: all of them together take longer to load than most take to run. */
const parts: readonly CommandPart[] = [
  ...consoleCommands,
  {
    names: ['handlers'],
    group: 'setUp',
    add: async (...to) => (await import('./handlers-command.ts')).addHandlersCommand(...to),
  },
  {
    names: ['check'],
    group: 'setUp',
    add: async (...to) => (await import('./check-command.ts')).addCheckCommand(...to),
  },
  { names: ['ehr'], group: 'setUp', add: async (...to) => (await import('./ehr-commands.ts')).addEhrCommands(...to) },
  {
    names: ['doctor'],
    group: 'setUp',
    add: async (...to) => (await import('./doctor-command.ts')).addDoctorCommand(...to),
  },
  {
    names: ['new'],
    group: 'develop',
    add: async (program, { print }) =>
      (await import('@pawl/dev/commands/new-command')).addNewCommand(program, { print }),
  },
  {
    names: ['init'],
    group: 'setUp',
    add: async (...to) => (await import('@pawl/dev/commands/init-command')).addInitCommand(...to),
  },
  { names: ['run'], group: 'setUp', add: async (program) => (await import('./run-command.ts')).addRunCommand(program) },
  {
    names: ['ledger'],
    group: 'data',
    add: async (...to) => (await import('./ledger-command.ts')).addLedgerCommand(...to),
  },
  {
    names: ['keys'],
    group: 'setUp',
    async add(program, deps) {
      const keys = program.command('keys').description('make signing keys, and rotate sealing keys')
      ;(await import('@pawl/console/commands/rotate-keys-command')).addRotateKeysCommand(keys, deps)
      ;(await import('@pawl/dev/commands/new-fhir-key-command')).addNewFhirKeyCommand(keys, deps)
    },
  },
  {
    names: ['pharmacy'],
    group: 'setUp',
    add: async (...to) => (await import('@pawl/dev/commands/pharmacy-command')).addPharmacyCommand(...to),
  },
  {
    names: ['sandbox'],
    group: 'develop',
    add: async (program) => (await import('./sandbox-command.ts')).addSandboxCommand(program),
  },
  {
    names: ['conformance'],
    group: 'develop',
    add: async (...to) => (await import('@pawl/conformance/conformance-command')).addConformanceCommand(...to),
  },
  {
    names: ['play'],
    group: 'develop',
    add: async (...to) => (await import('@pawl/dev/commands/play-command')).addPlayCommand(...to),
  },
  {
    names: ['send'],
    group: 'develop',
    add: async (...to) => (await import('@pawl/dev/commands/send-command')).addSendCommand(...to),
  },
  {
    names: ['forward'],
    group: 'develop',
    add: async (...to) => (await import('@pawl/dev/commands/forward-command')).addForwardCommand(...to),
  },
  {
    names: ['secrets'],
    group: 'setUp',
    add: async (...to) => (await import('./secrets-command.ts')).addSecretsCommand(...to),
  },
  {
    names: ['users'],
    group: 'setUp',
    add: async (...to) => (await import('./users-command.ts')).addUsersCommand(...to),
  },
]

/** Builds the command line: all of it or, given the first word of a call, only the part that this word needs. */
export async function createProgram({ end, clear = () => {}, ...rest }: ProgramDeps, word?: string): Promise<Command> {
  const deps = { clear, ...rest }
  const program = new Command('pawl')
    .description(
      'Operates a running pawl through its admin listener (ADMIN_HOST, ADMIN_PORT, ADMIN_USER, ADMIN_PASSWORD).',
    )
    .version(ownPackage().version, '--version', 'print the version of pawl')
    // One line: the error, a suggestion, and the place of the help.
    .configureOutput({
      getOutHelpWidth: () => helpWidth,
      // Whatever stands before or after the options, too.
      writeOut: (text) => void process.stdout.write(new Help().boxWrap(text, helpWidth)),
      outputError: (text, write) => write(`${showHidden(text.trim().replaceAll('\n', ' '))} See --help.\n`),
    })
    .exitOverride(end)
  const asked = parts.find(({ names }) => word !== undefined && names.includes(word))
  for (const group of Object.keys(commandGroups) as (keyof typeof commandGroups)[]) {
    program.commandsGroup(commandGroups[group])
    for (const { add } of (asked ? [asked] : parts).filter((part) => part.group === group)) await add(program, deps)
  }
  program.commandsGroup('Help:').helpCommand('help [command]', 'display help for command')
  return program
}
