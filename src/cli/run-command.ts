import type { Command } from 'commander'

const help = `
The integration is the one that package.json of this project names as pawl.integration; without it, the one that pawl ships.

Exits with 0 after SIGTERM or SIGINT; 1 when it cannot start or go on; 2 when the settings are wrong.`

/** Adds `run`, which runs the gateway in this process. */
export function addRunCommand(program: Command): void {
  program
    .command('run')
    .description('run the gateway with the settings of the environment and .env')
    .option('--paused', 'pause all work until "pawl resume --all"')
    .addHelpText('after', help)
    .action(async () => {
      // The process reads --paused itself.
      await import('../main.ts')
    })
}
