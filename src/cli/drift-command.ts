import type { Command } from 'commander'
import { contract } from '../console/contract/contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatTable, jsonOption, type Print, printJson } from './output.ts'

const help = `
Prints one line for each event type, field of the envelope, claim of the token, status, code and field of a resource that the service sent and pawl's catalogue does not know, the newest first: kind, location, the unknown code, how often, first and last time, and a resource that had it. All of it is stored with its resource and causes no failure. Values that do not look like a name or a code are shown as "?".

Up to a thousand different ones are kept, each for RETENTION_DAYS after it was last seen.

Exits with 0, drift or none; 1 when no pawl answers; 2 for wrong options.`

/** Adds `drift`, which lists names and codes of the service missing from the catalogue. */
export function addDriftCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  program
    .command('drift')
    .description("list names and codes of the service missing from pawl's catalogue")
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ json = false }: { json?: boolean }) => {
      const met = await ask(contract.drift)
      if (json) return printJson(print, met)
      if (met.drift.length === 0) return print('Everything received is in the catalogue.')
      const rows = met.drift.map(({ kind, name, value, seen, firstAt, lastAt, resourceId }) => [
        kind,
        name,
        value || '-',
        String(seen),
        new Date(firstAt).toISOString(),
        new Date(lastAt).toISOString(),
        resourceId,
      ])
      for (const line of formatTable([['kind', 'where', 'unknown', 'seen', 'first', 'last', 'such as'], ...rows]))
        print(line)
      if (met.leftOut > 0) print(`The list was full: ${met.leftOut} more were left out.`)
    })
}
