import { Command, type CommanderError } from 'commander'
import type { AskAdmin } from './admin-client.ts'
import { addAlertsCommand } from './alerts-command.ts'
import { addAuditCommand } from './audit-command.ts'
import { addBrowseCommands } from './browse-commands.ts'
import { addCheckCommand } from './check-command.ts'
import { addDoctorCommand } from './doctor-command.ts'
import { addCompletionCommand } from './completion-command.ts'
import { addConformanceCommand } from './conformance-command.ts'
import { addDiscardCommand } from './discard-command.ts'
import { addDriftCommand } from './drift-command.ts'
import { addDueCommand } from './due-command.ts'
import { addEhrCommands } from './ehr-commands.ts'
import { addForwardCommand } from './forward-command.ts'
import { addHandlersCommand } from './handlers-command.ts'
import { addHoldCommands } from './hold-commands.ts'
import { addInitCommand } from './init-command.ts'
import { addKeysCommand } from './keys-command.ts'
import { addLedgerCommand } from './ledger-command.ts'
import { addNewCommand } from './new-command.ts'
import { addParkedCommands } from './parked-commands.ts'
import { addPharmacyCommand } from './pharmacy-command.ts'
import { addPlayCommand } from './play-command.ts'
import { addPurgeCommand } from './purge-command.ts'
import { showHidden } from '../base/show-hidden.ts'
import { readVersion } from '../base/read-version.ts'
import { addReconcileCommand } from './reconcile-command.ts'
import { addReportCommand } from './report-command.ts'
import { addSandboxCommand } from './sandbox-command.ts'
import { addReplayCommand } from './replay-command.ts'
import { addSyncCommand } from './sync-command.ts'
import { addRunCommand } from './run-command.ts'
import { addScrubCommand } from './scrub-command.ts'
import { addSecretsCommand } from './secrets-command.ts'
import { addSendCommand } from './send-command.ts'
import { addShowCommand } from './show-command.ts'
import { addStartCommand } from './start-command.ts'
import { addStatusCommand } from './status-command.ts'
import { addUsersCommand } from './users-command.ts'
import type { Print } from './output.ts'

interface ProgramDeps {
  ask: AskAdmin
  print: Print
  /** Clears a terminal, for what is watched. */
  clear?: () => void
  /** Handles wrong arguments and the end of a help; all messages are printed by then. */
  end: (error: CommanderError) => never
}

/** The whole command line. */
export function createProgram({ ask, print, clear = () => {}, end }: ProgramDeps): Command {
  const program = new Command('pawl')
    .description(
      'Operates a running pawl through its admin listener (ADMIN_HOST, ADMIN_PORT, ADMIN_USER, ADMIN_PASSWORD).',
    )
    .version(readVersion(), '--version', 'print the version of pawl')
    // One line: the error, a suggestion, and where the help is.
    .configureOutput({
      outputError: (text, write) => write(`${showHidden(text.trim().replaceAll('\n', ' '))} See --help.\n`),
    })
    .exitOverride(end)
  addStatusCommand(program, { ask, print, clear })
  addAlertsCommand(program, { ask, print })
  addHandlersCommand(program, { ask, print })
  addShowCommand(program, { ask, print })
  addDueCommand(program, { ask, print })
  addDriftCommand(program, { ask, print })
  addParkedCommands(program, { ask, print })
  addDiscardCommand(program, { ask, print })
  addBrowseCommands(program, { ask, print })
  addHoldCommands(program, { ask, print })
  addStartCommand(program, { ask, print })
  addSyncCommand(program, { ask, print })
  addReconcileCommand(program, { ask, print })
  addPurgeCommand(program, { ask, print })
  addReportCommand(program, { ask, print })
  addAuditCommand(program, { ask, print })
  addCheckCommand(program, print)
  addEhrCommands(program, { ask, print })
  addDoctorCommand(program, print)
  addNewCommand(program, { print })
  addInitCommand(program, print)
  addRunCommand(program)
  addLedgerCommand(program, { ask, print })
  addKeysCommand(program, { ask, print })
  addPharmacyCommand(program, print)
  addReplayCommand(program, print)
  addScrubCommand(program, print)
  addSandboxCommand(program)
  addConformanceCommand(program, print)
  addPlayCommand(program, print)
  addSendCommand(program, print)
  addForwardCommand(program, print)
  addSecretsCommand(program, print)
  addUsersCommand(program, print)
  addCompletionCommand(program, print)
  return program
}
