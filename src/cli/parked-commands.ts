import { type Command, Option } from 'commander'
import { z } from 'zod'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, type Print } from './output.ts'
import { describeWithoutHandler, WithoutHandler } from './without-handler.ts'

const Parked = z.object({
  parked: z.array(
    z.looseObject({
      resourceId: z.string(),
      handler: z.string(),
      attempts: z.number(),
      errorCode: z.string(),
      errorMessage: z.string(),
    }),
  ),
  count: z.number(),
})
const Retried = z.object({ retried: z.array(z.string()), withoutHandler: z.array(WithoutHandler).default([]) })

const parkedHelp = `
Prints one line for each handler and resource, the longest untouched first, a thousand at the most: resource, handler, attempts, error.

Exits with 0, parked work or none; 1 when no pawl answers.`

const retryHelp = `
Prints how many resources are due again. A worker takes them up at once, with all their attempts before them. Work of a handler that the integration does not have any more is not retried, and is told.

Exits with 0, also when nothing was parked there; 1 when no pawl answers, or when the resource or the handler is unknown; 2 for wrong options.`

/** Adds `parked`, which lists work that was given up, and `retry`, which makes it due again. */
export function addParkedCommands(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  program
    .command('parked')
    .description('list parked work with its errors')
    .addHelpText('after', parkedHelp)
    .action(async () => {
      const { parked, count } = await ask('/api/parked', Parked)
      if (parked.length === 0) print('Nothing is parked.')
      for (const { resourceId, handler, attempts, errorCode, errorMessage } of parked) {
        print(`${resourceId}  ${handler}  after ${formatCount(attempts, 'attempt')}  ${errorCode}: ${errorMessage}`)
      }
      if (count > parked.length) print(`… and ${count - parked.length} more: retry some of these to see others.`)
    })

  program
    .command('retry')
    .alias('release')
    .description('make parked work due again, of one resource, of one handler, or all of it')
    .option('--resource <id>', 'only of this resource')
    .option('--handler <name>', 'only of this handler')
    .addOption(new Option('--all', 'all parked work').conflicts(['resource', 'handler']))
    .addHelpText('after', retryHelp)
    .action(
      async ({ resource, handler, all }: { resource?: string; handler?: string; all?: boolean }, command: Command) => {
        if (resource === undefined && handler === undefined && all !== true) {
          command.error('Say which: --resource, --handler, or --all.')
        }
        const filter = {
          ...(resource !== undefined && { resource_id: resource }),
          ...(handler !== undefined && { handler }),
          ...(all && { all }),
        }
        const { retried, withoutHandler } = await ask('/api/parked/retry', Retried, filter)
        print(`Due again: ${formatCount(retried.length, 'resource')}.`)
        for (const each of withoutHandler) print(`Not retried: ${describeWithoutHandler(each)}.`)
      },
    )
}
