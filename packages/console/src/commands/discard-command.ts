import type { Command } from 'commander'
import { contract } from '../contract/contract.ts'
import { reasonLength } from '../contract/reason.ts'
import type { PieceOfWork } from '../contract/work-contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, jsonOption, type Print, printJson } from './output.ts'
import { addSelection, type Selection, selectionOf } from './select-work.ts'

const help = `
Prints how much work was discarded. It counts as done without a run. Later changes of the resource make it due again as usual, and the handler then sees every change that it missed. Several options select the work that matches all of them; --handler may also name a handler that was removed. Work that only waits, because its system is away or it is paused, is left out, unless --error, --state or both --resource and --handler name it. The audit trail records who discarded it and why, once for each piece: name no patient in the reason. If a resource is being worked on, the command waits for up to half a minute.

Exits with 0, also when nothing matches; 1 when no pawl answers, when the resource, the handler, the system or the error is unknown, when the named handler has no parked or failing work on the named resource, or when a resource stays in work; 2 for wrong options.`

/** Adds `discard`, which gives up parked and failing work. */
export function addDiscardCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  const discard = program
    .command('discard')
    .description('count parked and failing work as done, for a reason; select it as for retry')
  addSelection(discard)
    .requiredOption('--reason <text>', `why, in ${reasonLength}, for the audit trail`)
    .option(...jsonOption)
    .addHelpText('after', help)
    .action(async (options: Selection & { reason: string; json?: boolean }, command: Command) => {
      const { reason, json = false, dryRun = false, ...selection } = options
      const asked = { ...selectionOf({ ...selection, dryRun }, command), reason }
      const { discarded, inWork } = await ask(contract.discard, { body: asked })
      if (inWork.length > 0) process.exitCode = 1
      if (json) return printJson(print, { dry_run: dryRun, discarded, inWork })
      print(`${dryRun ? 'Would be discarded' : 'Discarded'}: ${describe(discarded)}.`)
      if (inWork.length > 0) print(`Still in work, try again: ${describe(inWork)}.`)
    })
}

function describe(work: readonly PieceOfWork[]): string {
  const [first] = work
  if (work.length === 1 && first !== undefined) return `the work of ${first.handler} on ${first.resourceId}`
  return formatCount(work.length, 'piece').concat(' of work')
}
