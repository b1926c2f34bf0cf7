import { randomBytes } from 'node:crypto'
import { type Command, Option } from 'commander'
import { jsonOption, type Print, printJson } from '@pawl/console/commands/output'
import { readNumber } from '@pawl/console/commands/read-number'

const help = `
Prints new secrets, one per line: for WEBHOOK_SECRETS and ADMIN_PASSWORD, with --sealing for SEALING_KEYS, or with --pharmacy for PHARMACY_SECRET and ALERT_SECRET. Each is 32 random bytes. pawl does not store them: put them into your settings, not into a ticket.

Exits with 0; 2 for wrong options.`

interface Chosen {
  count: number
  sealing?: boolean
  pharmacy?: boolean
  json?: boolean
}

/** Adds `secrets generate`, which makes secrets. */
export function addSecretsCommand(program: Command, { print }: { print: Print }): void {
  program
    .command('secrets')
    .description('make secrets for the settings')
    .command('generate')
    .description('print new secrets')
    .option('--count <count>', 'so many', readNumber(1, 100), 1)
    .addOption(new Option('--sealing', 'keys for SEALING_KEYS').conflicts('pharmacy'))
    .option('--pharmacy', 'secrets of Standard Webhooks: whsec_ and Base64, for PHARMACY_SECRET and ALERT_SECRET')
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(({ count, sealing = false, pharmacy = false, json = false }: Chosen) => {
      const secret = () =>
        `${pharmacy ? 'whsec_' : ''}${randomBytes(32).toString(sealing || pharmacy ? 'base64' : 'hex')}`
      const secrets = Array.from({ length: count }, secret)
      if (json) printJson(print, { secrets })
      else for (const secret of secrets) print(secret)
    })
}
