import { type Command, Option } from 'commander'
import { ConfigInvalid } from '@pawl/base/errors'
import { pharmacySettings } from '@pawl/pharmacy'
import { z } from 'zod'
import { check } from '../../../../src/cli/check-command.ts'
import { parseSettings } from '../../../../src/settings/parse-settings.ts'
import { contract } from '@pawl/console/contract/contract'
import type { AskAdmin } from '@pawl/console/commands/admin-client'
import { formatCount, jsonOption, type Print, printJson, printText } from '@pawl/console/commands/output'

const Table = z
  .object(pharmacySettings)
  .pick({ PHARMACY_URL: true, PHARMACY_TABLE: true, PHARMACY_TABLE_MODE: true, PHARMACY_COLUMNS: true })

const schemaHelp = `
Prints the statement that makes the table: the outbox, or with PHARMACY_TABLE_MODE=upsert the columns that PHARMACY_COLUMNS names. It reads PHARMACY_URL, PHARMACY_TABLE, PHARMACY_TABLE_MODE and PHARMACY_COLUMNS, and connects to nothing. The default of --dialect is the database of PHARMACY_URL.

Exits with 0; 2 for wrong options or settings, such as columns that do not fit a notice.`

const testHelp = `
Tries the pharmacy of PHARMACY_URL and each of PHARMACY_ROUTES: posts a signed test notice of the type prescription_transfer.test, or connects to the table, or writes an empty file and deletes it. It needs no running pawl, and no settings but the pharmacy's.

Exits with 0 when all can be used; 1 when one cannot; 2 when the settings are wrong.`

const resendHelp = `
For what the pharmacy has lost: a worker reads each PA from the service, and its pharmacy is told how the transfer stands now, as a new notice with a number of its own, by each way that is set. Prints how many are told, and names those of which no pharmacy was ever told. See the result with "pawl show <id>". The audit trail records who asked.

Exits with 0; 1 when no pawl answers, or for a PA of which nothing was told; 2 for wrong options.`

/** Adds `pharmacy schema`, which prints the table for a pharmacy's database, `pharmacy test`, which tries the way to it, and `pharmacy resend`, which tells it again. */
export function addPharmacyCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  const pharmacy = program
    .command('pharmacy')
    .description('set up notices of transfers to a pharmacy, and tell it again')
  pharmacy
    .command('resend')
    .description('tell the pharmacy again how transfers stand, as new notices')
    .argument('<id...>', 'the PAs')
    .option(...jsonOption)
    .addHelpText('after', resendHelp)
    .action(async (ids: string[], { json = false }: { json?: boolean }) => {
      const { resources } = await ask(contract.resend, { body: { resources: ids } })
      const untold = ids.filter((id) => !resources.includes(id))
      if (untold.length > 0) process.exitCode = 1
      if (json) return printJson(print, { resources, untold })
      print(`${formatCount(resources.length, 'transfer')} now due.`)
      for (const id of untold) print(`${id}: no pharmacy was told of it.`)
    })
  pharmacy
    .command('test')
    .description('send a test to the pharmacies as set here')
    .option(...jsonOption)
    .addHelpText('after', testHelp)
    .action(async ({ json }: { json?: boolean }) =>
      check(
        print,
        ({ pharmacy: system }) => {
          if (system === undefined) throw new ConfigInvalid('The integration names no system "pharmacy".')
          // Without an address there is nothing to send a test to.
          if (system.notice !== undefined)
            throw new ConfigInvalid(`${system.notice}. Set PHARMACY_URL or PHARMACY_ROUTES.`)
          return { pharmacy: system }
        },
        { json },
      ),
    )
  pharmacy
    .command('schema')
    .description("print the statement that makes the table in a pharmacy's database")
    .addOption(new Option('--dialect <name>', 'the database it is for').choices(['postgres', 'mysql', 'mariadb']))
    .addHelpText('after', schemaHelp)
    .action(async ({ dialect: name }: { dialect?: string }, command: Command) => {
      // Imported lazily: no other command needs the SQL connectors.
      const { dialectNamed, dialectOf } = await import('@pawl/connector/sql/dialects')
      const { readTablePlan } = await import('@pawl/pharmacy/sql/table-plan')
      const { tableDefinition } = await import('@pawl/pharmacy/sql/table-definition')
      const settings = parseSettings(Table, process.env)
      const { PHARMACY_URL: url } = settings
      const dialect = name === undefined ? url && dialectOf(url) : dialectNamed(name)
      if (!dialect) return command.error('Say which with --dialect: PHARMACY_URL is no address of a database.')
      printText(print, tableDefinition(readTablePlan(settings), dialect))
    })
}
