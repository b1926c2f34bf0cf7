import type { Command } from 'commander'
import { contract } from '../console/contract/contract.ts'
import type { PieceOfWork } from '../console/contract/work-contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, jsonOption, type Print, printJson } from './output.ts'
import { addSelection, type Selection, selectionOf } from './select-work.ts'

const help = `
Prints how much work was given up. It counts as done without a run. What happens to the resource from then on makes it due again as usual, and the handler then sees all that it missed. Several options together mean what fits all of them; --handler may also name one that there is no more. Work that only waits, as its system is away or somebody paused it, is left out, unless --error, --state or both --resource and --handler name it. Who discarded it and why stands in the audit trail, once for each piece: name no patient in the reason. Where a resource is in work, the command waits for half a minute.

Exits with 0, also when nothing fits; 1 when no pawl answers, when the resource, the handler, the system or the error is unknown, when nothing of the handler named is parked or failing at the resource named, or when a resource stays in work; 2 for wrong options.`

/** Adds `discard`, which gives up work that was parked or fails. */
export function addDiscardCommand(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  const discard = program
    .command('discard')
    .description('have parked and failing work count as done, for a reason: selected as for retry')
  addSelection(discard)
    .requiredOption('--reason <text>', 'why, for the audit trail')
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
