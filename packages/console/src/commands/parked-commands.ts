import { type Command, Option } from 'commander'
import { contract } from '../contract/contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatTable, jsonOption, type Print, printJson } from './output.ts'
import { saysSame } from '../contract/says-same.ts'
import { readNumber } from './read-number.ts'
import { addListing, addSelection, type Listed, type Selection, selectionOf } from './select-work.ts'
import { describeWithoutHandler } from './without-handler.ts'

const parkedHelp = `
Prints one line for each handler and resource: resource, handler, attempts, error; by handler, system and error, the oldest failure first. The message of an error follows its code where it says something else than that of the line above. Several options select the work that matches all of them.

Exits with 0, parked work or none; 1 when no pawl answers, or when the resource, the handler, the system or the error is unknown; 2 for wrong options.`

const retryHelp = `
Prints how many pieces of work are due now, and how many are left: parked work is due again, and failed work skips its backoff. A worker claims it at once, with a fresh count of attempts. Several options select the work that matches all of them. With --limit only so many are retried, the oldest failure of each group first; the same command then retries the next. Work of a handler that was removed from the integration is listed, not retried. With --dry-run nothing is retried.

With --resource and --without, or --document-type, the chart's records of that one resource are written so from now on, until --as-usual. What says whom and what a record is about, and whether it counts, is never left out.

Exits with 0, also when nothing matches; 1 when no pawl answers, when the resource, the handler, the system or the error is unknown, or when its records cannot be written so; 2 for wrong options.`

interface RetryOptions extends Selection {
  limit?: number
  without?: string[]
  documentType?: string
  asUsual?: boolean
  json?: boolean
}

/** What is amended, if anything is; exits if that is not for one resource. */
function amendmentOf({ without, documentType, asUsual, resource }: RetryOptions, command: Command) {
  if (without === undefined && documentType === undefined && asUsual === undefined) return {}
  if (resource === undefined) command.error('--without, --document-type and --as-usual need --resource.')
  return { amend: { without, document_type: documentType } }
}

/** Adds `parked`, which lists parked work, and `retry`, which makes parked and failed work due now. */
export function addParkedCommands(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  const parked = program.command('parked').description('list parked work with its errors')
  addListing(parked, { states: [], limit: 1_000 })
    .option(...jsonOption)
    .addHelpText('after', parkedHelp)
    .action(async ({ json = false, ...asked }: Listed & { json?: boolean }) => {
      const answer = await ask(contract.parked, { query: asked })
      if (json) return printJson(print, answer)
      const { parked, count } = answer
      if (parked.length === 0) return print('Nothing is parked.')
      const rows = parked.map((piece, index) => {
        const { resourceId, handler, attempts, errorCode, errorMessage } = piece
        const above = parked[index - 1]
        const isSame = above?.errorCode === errorCode && saysSame(piece, above.errorMessage)
        return [
          resourceId,
          handler,
          `after ${formatCount(attempts, 'attempt')}`,
          isSame ? errorCode : `${errorCode}: ${errorMessage}`,
        ]
      })
      for (const line of formatTable(rows)) print(line)
      if (count > parked.length)
        print(`… and at least ${count - parked.length} more: name a handler, a system or an error to see others.`)
    })

  const retry = program
    .command('retry')
    .description(
      'retry parked and failed work now: of a resource, a handler, a system, an error, a state, or all of it',
    )
  addSelection(retry)
    .option('--limit <count>', 'max pieces of work to retry', readNumber(1, 1_000_000))
    .option('--without <element...>', 'with --resource: leave out elements, such as DocumentReference.context')
    .option('--document-type <system|code>', 'with --resource: another type of its documents')
    .addOption(
      new Option('--as-usual', 'with --resource: write its records as usual again').conflicts([
        'without',
        'documentType',
      ]),
    )
    .option(...jsonOption)
    .addHelpText('after', retryHelp)
    .action(async ({ json = false, limit, ...selection }: RetryOptions, command: Command) => {
      const body = { ...selectionOf(selection, command), ...amendmentOf(selection, command), limit }
      const answer = await ask(contract.retry, { body })
      if (json) return printJson(print, { ...answer, dry_run: selection.dryRun === true })
      const retried = formatCount(answer.retried, 'piece').concat(' of work')
      const left = limit === undefined ? '' : `, ${answer.left} left`
      print(selection.dryRun ? `Would be due again: ${retried}${left}.` : `Due again: ${retried}${left}.`)
      for (const each of answer.withoutHandler) print(`Not retried: ${describeWithoutHandler(each)}.`)
    })
}
