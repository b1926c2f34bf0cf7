import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { jsonOption, type Print, printJson } from '@pawl/console/commands/output'
import { readNumber } from '@pawl/console/commands/read-number'

const help = `
Prints new secrets, one per line: for WEBHOOK_SECRETS and ADMIN_PASSWORD, or with --sealing for SEALING_KEYS. Each is 32 random bytes. pawl does not store them: put them into your settings, not into a ticket.

Exits with 0; 2 for wrong options.`

/** Adds `secrets generate`, which makes secrets. */
export function addSecretsCommand(program: Command, { print }: { print: Print }): void {
  program
    .command('secrets')
    .description('make secrets for the settings')
    .command('generate')
    .description('print new secrets')
    .option('--count <count>', 'so many', readNumber(1, 100), 1)
    .option('--sealing', 'keys for SEALING_KEYS')
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(({ count, sealing = false, json = false }: { count: number; sealing?: boolean; json?: boolean }) => {
      const secrets = Array.from({ length: count }, () => randomBytes(32).toString(sealing ? 'base64' : 'hex'))
      if (json) printJson(print, { secrets })
      else for (const secret of secrets) print(secret)
    })
}
