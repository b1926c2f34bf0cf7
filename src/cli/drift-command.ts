import type { Command } from 'commander'
import { contract } from '../console/contract/contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatTable, jsonOption, type Print, printJson } from './output.ts'

const help = `
Prints one line for each event type, field of the envelope, claim of the token, status, code and field of a resource that the service sent and that pawl's catalogue does not know, the one met last first: kind, where it stands, the unknown code, how often, first and last, and a resource that had it. All of it is kept with its resource, and nothing fails for it. What does not look like a name or a code reads "?".

A thousand different ones are kept, each for RETENTION_DAYS after it was met last.

Exits with 0, whatever was met; 1 when no pawl answers; 2 for wrong options.`

/** Adds `drift`, which lists what the service sends and the catalogue does not know. */
export function addDriftCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  program
    .command('drift')
    .description("list what the service sends and pawl's catalogue does not know")
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ json = false }: { json?: boolean }) => {
      const met = await ask(contract.drift)
      if (json) return printJson(print, met)
      if (met.drift.length === 0) return print('Everything that came is in the catalogue.')
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
      if (met.leftOut > 0) print(`More was left out: there was no room for it ${met.leftOut} times.`)
    })
}
