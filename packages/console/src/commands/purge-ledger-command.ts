import type { Command } from 'commander'
import { inSteps } from '@pawl/ledger/views/in-steps'
import { maxPurgeCounted } from '@pawl/ledger/upkeep/max-purge-counted'
import { contract } from '../contract/contract.ts'
import { Removed } from '../contract/upkeep-contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatRow, jsonOption, type Print, printJson } from './output.ts'
import { createProgressLine } from './progress-line.ts'

const help = `
Runs retention now; it also runs at the start of a worker and every hour. It deletes rows older than RETENTION_DAYS, PARKED_RETENTION_DAYS and REPORT_RETENTION_DAYS of the running pawl, in small steps beside its work; stopped half-way, run it again. To delete more, lower those settings and restart. The audit trail records who did it.

Prints how much of each kind was deleted, or would be with --dry-run; a dry run counts at most ${maxPurgeCounted} of a kind, except deliveries and their bodies.

Exits with 0, also when nothing is old enough; 1 when no pawl answers; 2 for wrong options.`

/** Singular and plural of each kind, in the order of printing. */
const nouns: Record<keyof Removed, readonly [one: string, many: string]> = {
  deliveries: ['delivery', 'deliveries'],
  dueBodies: ['body of a delivery whose work is still due', 'bodies of deliveries whose work is still due'],
  parkedBodies: ['body of a delivery whose work is parked', 'bodies of deliveries whose work is parked'],
  snapshots: ['snapshot of a resource', 'snapshots of resources'],
  baselines: ['baseline of a handler', 'baselines of handlers'],
  effects: ['result of an effect', 'results of effects'],
  notices: ['notice of the feed', 'notices of the feed'],
  outcomes: ['row of the report', 'rows of the report'],
}

/** Adds `ledger purge`, which runs retention now. */
export function addPurgeLedgerCommand(ledger: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  ledger
    .command('purge')
    .description('run retention now, while pawl runs')
    .option('--dry-run', 'only count what would be deleted')
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ dryRun = false, json = false }: { dryRun?: boolean; json?: boolean }) => {
      const removed = await purge(ask, dryRun)
      if (json) return printJson(print, { dry_run: dryRun, removed })
      const lines = Object.entries(nouns).flatMap(([kind, [one, many]]) => {
        // The keys are the kinds.
        const count = removed[kind as keyof Removed]
        return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]
      })
      const said = lines.length === 0 ? ['nothing'] : lines
      for (const [at, line] of said.entries()) print(formatRow(at > 0 ? '' : dryRun ? 'would go' : 'removed', line))
    })
}

async function purge(ask: AskAdmin, dryRun: boolean): Promise<Removed> {
  const line = createProgressLine(process.stderr)
  const sum: Record<string, number> = {}
  let looked = 0
  try {
    const steps = inSteps((cursor?: number) => ask(contract.purgeLedger, { body: { cursor, dry_run: dryRun } }))
    for await (const { removed, total, ...step } of steps) {
      for (const [kind, count] of Object.entries(removed)) sum[kind] = (sum[kind] ?? 0) + count
      looked += step.looked
      line.show({ done: step.cursor === undefined ? total : Math.min(looked, total), total, what: 'looked through' })
    }
  } finally {
    line.end()
  }
  return Removed.parse(sum)
}
