import type { Command } from 'commander'
import { contract } from '../contract/contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatDuration, formatTable, jsonOption, type Print, printJson } from './output.ts'
import { addListing, type Listed } from './select-work.ts'

const help = `
Prints one line for each resource with work to do, now or later, and for each of its handlers that failed: resource, when it runs next, handler, attempts, error. The earliest comes first; with --handler, --system, --error or --state, the matching failed work by handler, system and error, the oldest failure first. Parked work is not retried automatically: see "pawl parked".

Exits with 0, work or none; 1 when no pawl answers, or when the resource, the handler, the system or the error is unknown; 2 for wrong options.`

/** Adds `due`, which lists waiting work and failed work that will be retried. */
export function addDueCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  const due = program.command('due').description('list waiting work, and failed work that will be retried')
  addListing(due, { states: ['failing', 'waiting'], limit: 100 })
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ json = false, ...asked }: Listed & { json?: boolean }) => {
      const answer = await ask(contract.due, { query: asked })
      if (json) return printJson(print, answer)
      const { due, isAll } = answer
      if (due.length === 0) return print('Nothing waits.')
      const rows = due.map(({ resourceId, isClaimed, dueInMs, failed }) => [
        resourceId,
        isClaimed ? 'in work' : dueInMs <= 0 ? 'now' : `in ${formatDuration(dueInMs)}`,
        failed?.handler ?? '-',
        failed === undefined ? '-' : formatCount(failed.attempts, 'attempt'),
        failed === undefined ? '-' : `${failed.errorCode}: ${failed.errorMessage}`,
      ])
      for (const line of formatTable([['resource', 'next try', 'handler', 'tried', 'error'], ...rows])) print(line)
      if (!isAll) print('… and more: raise --limit, or name a handler, a system or an error.')
    })
}
