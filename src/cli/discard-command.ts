import type { Command } from 'commander'
import { z } from 'zod'
import type { AskAdmin } from './admin-client.ts'
import { jsonOption, type Print, printJson } from './output.ts'

const help = `
The work counts as done without a run. What happens to the resource from then on makes it due again as usual, and the handler then sees all that it missed. Who discarded it and why stands in the audit trail: name no patient in the reason.

Exits with 0; 1 when no pawl answers, or when nothing of that handler is parked or failing there; 2 for wrong options.`

interface Options {
  resource: string
  handler: string
  reason: string
  json?: boolean
}

/** Adds `discard`, which gives up work that was parked or fails. */
export function addDiscardCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  program
    .command('discard')
    .description('have parked or failing work count as done, for a reason')
    .requiredOption('--resource <id>', 'of this resource')
    .requiredOption('--handler <name>', 'of this handler, also one that there is no more')
    .requiredOption('--reason <text>', 'why, for the audit trail')
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ resource, handler, reason, json = false }: Options) => {
      await ask('/api/parked/discard', z.object({}), { resource_id: resource, handler, reason })
      if (json) return printJson(print, { discarded: { resource_id: resource, handler } })
      print(`Discarded: the work of ${handler} on ${resource}.`)
    })
}
