#!/usr/bin/env node
import { Command } from 'commander'
import { ConfigInvalid, readAdminAddress } from '../config.ts'
import { PawlError } from '../errors.ts'
import { readActorName } from './actor-name.ts'
import { createAdminClient } from './admin-client.ts'
import { addAuditCommand } from './audit-command.ts'
import { addCheckCommand } from './check-command.ts'
import { takeDevelopmentSettings } from './development-settings.ts'
import { addDoctorCommand } from './doctor-command.ts'
import { addConformanceCommand } from './conformance-command.ts'
import { addDiscardCommand } from './discard-command.ts'
import { endCommand } from './end-command.ts'
import { addHandlersCommand } from './handlers-command.ts'
import { addKeysCommand } from './keys-command.ts'
import { addLedgerCommand } from './ledger-command.ts'
import { addNewCommand } from './new-command.ts'
import { addParkedCommands } from './parked-commands.ts'
import { addPharmacyCommand } from './pharmacy-command.ts'
import { addPlayCommand } from './play-command.ts'
import { addPurgeCommand } from './purge-command.ts'
import { readVersion } from '../read-version.ts'
import { addReconcileCommand } from './reconcile-command.ts'
import { addSandboxCommand } from './sandbox-command.ts'
import { addReplayCommand } from './replay-command.ts'
import { addScrubCommand } from './scrub-command.ts'
import { addShowCommand } from './show-command.ts'
import { addStatusCommand } from './status-command.ts'

// The reader of a pipe, such as head, may have seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

takeDevelopmentSettings(process.env)
const print = (line: string) => void process.stdout.write(`${line}\n`)
const ask = createAdminClient(() => readAdminAddress(process.env), readActorName())

const program = new Command('pawl')
  .description('Looks after a running pawl through its admin listener (ADMIN_HOST, ADMIN_PORT, ADMIN_PASSWORD).')
  .version(readVersion(), '--version', 'print the version of pawl')
  .showHelpAfterError()
  .exitOverride(endCommand)
addStatusCommand(program, { ask, print })
addHandlersCommand(program, { ask, print })
addShowCommand(program, { ask, print })
addParkedCommands(program, { ask, print })
addDiscardCommand(program, { ask, print })
addReconcileCommand(program, { ask, print })
addPurgeCommand(program, { ask, print })
addAuditCommand(program, { ask, print })
addCheckCommand(program, print)
addDoctorCommand(program, print)
addNewCommand(program, { print })
addLedgerCommand(program, print)
addKeysCommand(program, print)
addPharmacyCommand(program, print)
addReplayCommand(program, print)
addScrubCommand(program, print)
addSandboxCommand(program)
addConformanceCommand(program, print)
addPlayCommand(program, print)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof PawlError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = error instanceof ConfigInvalid ? 2 : 1
}
