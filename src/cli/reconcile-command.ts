import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { readResourceName, resourceNameForm } from '../events/resource-name.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, type Print } from './output.ts'
import { readSince } from './read-since.ts'

const Reconciled = z.object({ resources: z.number() })
const Progress = z.looseObject({ toPoll: z.number(), unreadable: z.number() })

const help = `
Prints how many resources the service is asked about and, with --since, every second how many of them were looked at, until all were.

Exits with 0; 1 when no pawl answers, when a resource could not be read, or when nothing would follow it; 2 for wrong options.`

interface Options {
  since?: Date
  resource?: string[]
  wait: boolean
}

/** Adds `reconcile`, which has a running pawl ask the service how things stand. */
export function addReconcileCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  program
    .command('reconcile')
    .description('ask the service how things stand: after an outage, or for resources that pawl may not know')
    .option(
      '--since <when>',
      'every resource that may have changed since a date-time, or since so long ago: 90m, 6h, 3d',
      readSince,
    )
    .option('--resource <id>', `this resource, known to pawl or not; may be repeated: ${resourceNameForm}`, addResource)
    .option('--no-wait', 'with --since: do not wait until all are looked at')
    .addHelpText('after', help)
    .action(async ({ since, resource, wait }: Options, command: Command) => {
      if ((since === undefined) === (resource === undefined)) command.error('Say which: --since, or --resource.')
      if (resource !== undefined) {
        const { resources } = await ask('/api/reconcile', Reconciled, { resources: resource })
        print(`${formatCount(resources, 'resource')} will be looked at by the next worker.`)
        return
      }
      const { resources } = await ask('/api/reconcile', Reconciled, { since: since?.toISOString() })
      print(`${formatCount(resources, 'resource')} will be looked at, in the background and inside the rate limits.`)
      for (let left = wait ? resources : 0; left > 0;) {
        await sleep(1_000)
        const { toPoll, unreadable } = await ask('/readyz', Progress)
        left = toPoll
        const failed = unreadable === 0 ? '' : `, ${unreadable} could not be read`
        print(`${Math.max(resources - left - unreadable, 0)} of ${resources} looked at${failed}`)
        if (left > 0 || unreadable === 0) continue
        print('They are tried again in the background; the log says what is wrong.')
        process.exitCode = 1
      }
    })
}

function addResource(name: string, others: string[] = []): string[] {
  if (readResourceName(name) === undefined) throw new InvalidArgumentError(`It is ${resourceNameForm}.`)
  return [...others, name]
}
