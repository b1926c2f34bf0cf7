import type { Command } from 'commander'
import { resourceNameForm } from '../service/events/resource-name.ts'
import { contract } from '../console/contract/contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, jsonOption, type Print, printJson } from './output.ts'
import { readNames } from './read-names.ts'

const help = `
Prints how many resources a worker looks at now: it asks the service how each stands, and every handler of its kind runs, also one that is parked or waits for its next try. pawl need not have heard of the resource before. See what came of it with "pawl due --resource <id>".

An id of which pawl has not heard is asked for at the service first: where the service does not know it, that is said, and nothing is done.

Exits with 0; 1 when no pawl answers, when the service does not know one of them, or when no handler would follow one; 2 for wrong options.`

/** Adds `sync`, which has handlers look at resources at once. */
export function addSyncCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  program
    .command('sync')
    .description('have a worker ask the service about resources now, and run their handlers')
    .argument('<id...>', `the resources, known to pawl or not: ${resourceNameForm}`, readNames)
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async (ids: string[], { json = false }: { json?: boolean }) => {
      const { resources } = await ask(contract.sync, { body: { resources: ids } })
      if (json) printJson(print, { resources })
      else print(`${formatCount(resources, 'resource')} will be looked at now.`)
    })
}
