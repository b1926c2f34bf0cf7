import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { contract } from '../contract/contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, jsonOption, type Print, printJson } from './output.ts'
import { readSince } from './read-since.ts'

const help = `
Prints how many resources are read from the service and, every second, how many were read so far, until all are.
With --cancel it prints how many were not read yet: those are polled at their own time again.

Exits with 0; 1 when no pawl answers, when a resource could not be read, or when the reconcile was cancelled; 2 for wrong options.`

interface Options {
  since?: Date
  cancel?: true
  wait: boolean
  json?: boolean
}

/** Adds `reconcile`, which has a running pawl read resources from the service again. */
export function addReconcileCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  program
    .command('reconcile')
    .description('read all resources that may have changed from the service again, as after an outage')
    .option('--since <when>', 'since a date-time, or an age: 90m, 6h, 3d', readSince)
    .option('--no-wait', 'with --since: do not wait until all are read')
    .option('--cancel', 'cancel a reconcile begun with --since, from here or from the console')
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async ({ since, cancel, wait, json = false }: Options, command: Command) => {
      if ((since === undefined) !== (cancel === true)) command.error('Say which: --since or --cancel.')
      const say = json ? () => {} : print
      if (since === undefined) {
        const { resources } = await ask(contract.cancelReconcile)
        if (json) printJson(print, { resources })
        say(`Cancelled: ${formatCount(resources, 'resource')} not read yet, polled at the usual times again.`)
        return
      }
      const { resources } = await ask(contract.reconcile, { body: { since: since.toISOString() } })
      say(
        `${formatCount(resources, 'resource')} will be read in the background, within the rate limits; --cancel ends that.`,
      )
      const counted = { resources, read: 0, unreadable: 0, left: resources }
      if (!wait) {
        if (json) printJson(print, counted)
        return
      }
      while (counted.left > 0) {
        await sleep(1_000)
        const { reconciling, unreadable, reconcileCancelled } = await ask(contract.status)
        if (reconcileCancelled) {
          if (json) printJson(print, { ...counted, cancelled: true })
          say('Cancelled: resources not read yet are polled at the usual times again.')
          process.exitCode = 1
          return
        }
        Object.assign(counted, {
          read: Math.max(resources - reconciling - unreadable, 0),
          unreadable,
          left: reconciling,
        })
        const failed = unreadable === 0 ? '' : `, ${unreadable} could not be read`
        say(`${counted.read} of ${resources} read${failed}`)
      }
      if (json) printJson(print, counted)
      if (counted.unreadable === 0) return
      say('They are retried in the background; the log has the errors.')
      process.exitCode = 1
    })
}
