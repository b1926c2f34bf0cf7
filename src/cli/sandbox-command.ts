import type { Command } from 'commander'
import { createSandboxCommand } from '../sandbox/command-line.ts'
import { endCommand } from './end-command.ts'

/** Adds `sandbox`, which is `npm run sandbox` for whoever has no checkout. */
export function addSandboxCommand(program: Command): void {
  const sandbox = createSandboxCommand('sandbox', async (chosen) => {
    // Loaded here alone: no other command needs the service.
    if ('errand' in chosen) await (await import('../sandbox/commands/run-errand.ts')).runErrand(chosen)
    else await (await import('../sandbox/run-sandbox.ts')).runSandbox(chosen)
  })
  sandbox.summary('run a local copy of the service')
  for (const command of [sandbox, ...sandbox.commands]) command.exitOverride(endCommand)
  program.addCommand(sandbox)
}
