import type { Command } from 'commander'
import { z } from 'zod'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatDuration, formatTable, jsonOption, type Print, printJson } from './output.ts'
import { readLimit } from './read-limit.ts'

const Due = z.object({
  due: z.array(
    z.looseObject({
      resourceId: z.string(),
      kind: z.string(),
      dueInMs: z.number(),
      isClaimed: z.boolean(),
      failed: z
        .object({ handler: z.string(), attempts: z.number(), errorCode: z.string(), errorMessage: z.string() })
        .optional(),
    }),
  ),
  isAll: z.boolean(),
})

const help = `
Prints one line for each resource with work to do, now or later, and for each of its handlers that failed: resource, when it is tried, handler, attempts, error. What comes first stands first; with --handler or --error, the failed work that fits, the longest untouched first. Parked work is not tried again by itself: see "pawl parked".

Exits with 0, work or none; 1 when no pawl answers, or when the resource, the handler or the error is unknown; 2 for wrong options.`

interface Options {
  resource?: string
  handler?: string
  error?: string
  limit: number
  json?: boolean
}

/** Adds `due`, which lists what waits, and what failed and will be tried again. */
export function addDueCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  program
    .command('due')
    .description('list what waits, and what failed and will be tried again')
    .option('--resource <id>', 'only of this resource')
    .option('--handler <name>', 'only what this handler failed at')
    .option('--error <code>', 'only what failed with this error')
    .option('--limit <count>', 'so many resources', readLimit, 100)
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ resource, handler, error, limit, json = false }: Options) => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(resource !== undefined && { resource }),
        ...(handler !== undefined && { handler }),
        ...(error !== undefined && { error }),
      })
      const answer = await ask(`/api/due?${query.toString()}`, Due)
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
      if (!isAll) print('… and more: raise --limit, or name a handler or an error.')
    })
}
