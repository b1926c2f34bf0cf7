import type { Command } from 'commander'
import { createSandboxCommand } from '@pawl/sandbox/command-line'
import { endCommand } from './end-command.ts'

/** The command shown to start the sandbox: a checkout runs TypeScript, the package only JavaScript. */
const command = import.meta.url.endsWith('.ts') ? 'npm run sandbox --' : 'npx pawl sandbox'

/** Adds `sandbox`: `npm run sandbox` without a checkout. */
export function addSandboxCommand(program: Command): void {
  const sandbox = createSandboxCommand('sandbox', async (chosen) => {
    // Imported lazily: no other command needs the sandbox.
    if ('subcommand' in chosen) await (await import('@pawl/sandbox/commands/run-subcommand')).runSubcommand(chosen)
    else await (await import('@pawl/sandbox/run-sandbox')).runSandbox(chosen, command)
  })
  sandbox.summary('run a local copy of the service')
  for (const one of [sandbox, ...sandbox.commands]) one.exitOverride(endCommand)
  program.addCommand(sandbox)
}
