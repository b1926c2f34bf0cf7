import { type Command, InvalidArgumentError } from 'commander'
import { readResourceName, resourceNameForm } from 'pawl-client/events/resource-name'
import { contract } from '../contract/contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, jsonOption, type Print, printJson } from './output.ts'

const help = `
Prints how many resources a worker syncs now: it reads each from the service, and every handler of its kind runs, also one that is parked or in backoff. The resource may be new to pawl. See the result with "pawl due --resource <id>".

After a time without deliveries status says that new cases may be missing; --complete ends that.

An id new to pawl is read from the service first: if the service does not know it, the command fails and changes nothing.

Exits with 0; 1 when no pawl answers, when the service does not know one of them, or when no handler follows one; 2 for wrong options.`

interface SyncOptions {
  json?: boolean
  complete?: boolean
}

/** Adds `sync`, which reads resources from the service and runs their handlers at once. */
export function addSyncCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  program
    .command('sync')
    .description('have a worker read resources from the service now, and run their handlers')
    .argument('[id...]', `the resources, known to pawl or not: ${resourceNameForm}`, readNames)
    .option('--complete', 'pawl missed no other case during a time without deliveries; without ids: none at all')
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async (ids: string[], { json = false, complete = false }: SyncOptions, command: Command) => {
      if (ids.length === 0 && !complete) command.error('Name resources, or say --complete.')
      const { resources } = await ask(contract.sync, { body: { resources: ids, complete } })
      if (json) printJson(print, { resources })
      else if (ids.length === 0) print('Recorded: no case is missing.')
      else print(`${formatCount(resources, 'resource')} now due.`)
    })
}

/** Appends the id of a resource to a list. Throws `InvalidArgumentError` for an invalid id. */
function readNames(name: string, others: string[] = []): string[] {
  if (readResourceName(name) === undefined) throw new InvalidArgumentError(`It is ${resourceNameForm}.`)
  return [...others, name]
}
