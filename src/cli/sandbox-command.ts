import type { Command } from 'commander'
import { commandLineOf, createSandboxCommand } from '../sandbox/command-line.ts'
import { endCommand } from './end-command.ts'

/** Adds `sandbox`, which is `npm run sandbox` for whoever has no checkout. */
export function addSandboxCommand(program: Command): void {
  const sandbox = createSandboxCommand('sandbox').summary('run a local copy of the service').exitOverride(endCommand)
  sandbox.action(async () => {
    // Loaded here alone: no other command needs the service.
    const { runSandbox } = await import('../sandbox/run-sandbox.ts')
    await runSandbox(commandLineOf(sandbox))
  })
  program.addCommand(sandbox)
}
