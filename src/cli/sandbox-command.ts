import type { Command } from 'commander'
import { createSandboxCommand } from '../sandbox/command-line.ts'
import { endCommand } from './end-command.ts'

/** How this is started again: the package has JavaScript alone, a checkout runs its TypeScript. */
const command = import.meta.url.endsWith('.ts') ? 'npm run sandbox --' : 'npx pawl sandbox'

/** Adds `sandbox`, which is `npm run sandbox` for whoever has no checkout. */
export function addSandboxCommand(program: Command): void {
  const sandbox = createSandboxCommand('sandbox', async (chosen) => {
    // Loaded here alone: no other command needs the service.
    if ('errand' in chosen) await (await import('../sandbox/commands/run-errand.ts')).runErrand(chosen)
    else await (await import('../sandbox/run-sandbox.ts')).runSandbox(chosen, command)
  })
  sandbox.summary('run a local copy of the service')
  for (const one of [sandbox, ...sandbox.commands]) one.exitOverride(endCommand)
  program.addCommand(sandbox)
}
