import { type Command, Option } from 'commander'
import { groupCells, groupTitles, linesOf, nameOf, sayBehind, valueOf } from '../report/lines.ts'
import { toCsv } from '../report/to-csv.ts'
import { type Grouping, groupings } from 'pawl-client/schemas/outcome-facts'
import { contract } from '../contract/contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatTable, jsonOption, type Print, printJson } from './output.ts'

const help = `
Prints the figures of prior authorizations and benefit verifications in the period: how many were submitted, approved, denied and not submitted and why, how long it took, appeals, transfers, and the time spent waiting for the practice or the provider. With --by, the main figures of each payer (BIN/PCN), drug (NDC, or its name) or provider (NPI) follow. docs/operating.md says what each figure means.

A date means the start of that day in the time zone of the running pawl (setting TZ); --to is exclusive: --from 2026-01-01 --to 2026-02-01 is January. A date-time such as 2026-01-31T08:00:00Z is exact. --from defaults to 30 days before, --to to now.

Groups of fewer than 11 resources are counted together, as "others", since they could single a patient out. With --small they are shown: treat that output like the patients' data. The audit trail records every report.

--csv prints one figure per row (RFC 4180), with all figures of each group; --json one JSON object.

Exits with 0, resources or none; 1 when no pawl answers, or when it cannot read the period; 2 for wrong options.`

interface Options {
  from?: string
  to?: string
  by?: Grouping
  small?: boolean
  csv?: boolean
  json?: boolean
}

/** Adds `report`, the figures of PAs and BVs. */
export function addReportCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  program
    .command('report')
    .description('count the results of prior authorizations and benefit verifications, and how long they took')
    .option('--from <when>', 'since this day or date-time')
    .option('--to <when>', 'until this day or date-time, exclusive')
    .addOption(new Option('--by <what>', 'with the figures of each payer, drug or provider').choices(groupings))
    .option('--small', 'show groups of fewer than 11 resources, too')
    .addOption(new Option('--csv', 'as CSV, one figure per row').conflicts('json'))
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ from, to, by, small = false, csv = false, json = false }: Options) => {
      const query = { from, to, by, ...(small && { small: 'true' as const }), ...(csv && { printed: 'csv' as const }) }
      const report = await ask(contract.report, { query })
      if (json) return printJson(print, report)
      // `print` adds the line feeds.
      if (csv)
        return toCsv(report)
          .split('\n')
          .slice(0, -1)
          .forEach((line) => print(line))
      print(`From ${report.from} to ${report.to} (days of ${report.timeZone})`)
      if (report.behindMs !== undefined) print(sayBehind(report.behindMs))
      const lines = linesOf(report.figures).map((line) => [nameOf(line), valueOf(line)])
      for (const line of formatTable(lines)) print(line)
      if (by === undefined) return
      const rows = report.groups.map(({ name, figures }) => [name, ...groupCells(figures)])
      print('')
      for (const line of formatTable([[by, ...groupTitles], ...rows])) print(line)
    })
}
