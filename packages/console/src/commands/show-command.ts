import type { Command } from 'commander'
import { contract } from '../contract/contract.ts'
import { reasonLength } from '../contract/reason.ts'
import { AdminRequestFailed, type AskAdmin } from './admin-client.ts'
import { describeMatches, describeStory } from './describe-story.ts'
import { formatTable, type Print, printJson } from './output.ts'
import { readLimit } from './read-number.ts'

const help = `
Prints the state of the resource and of each handler, and its history, the newest last: each delivery, each snapshot as its difference to the one before, each run with its writes, each effect of "once". It shows ids, codes and times, nothing of a patient; --json gives the same to programs.

With --reveal it prints the last snapshot of the resource instead, which is about a patient. That needs the right to reveal and a reason; the audit trail records who, what and why first.

A resource is found by its id or its first twelve characters at least, else by a number that its last snapshot carried: the patient's internal_id or mrn, a member number, a prescription_message_id. If several carry it, they are listed. pawl neither stores nor logs the number, but your shell may: with - for the value it is read from standard input.

Exits with 0; 1 when no pawl answers, or when nothing is found; 2 for wrong options.`

interface Options {
  patient?: string
  member?: string
  prescription?: string
  limit: number
  before?: string
  reveal?: boolean
  reason?: string
  json?: boolean
}

/** Fields searched by each option. */
const fieldsOf = {
  patient: ['internal_id', 'mrn'],
  member: ['member_number'],
  prescription: ['prescription_message_id'],
} as const

interface ShowDeps {
  ask: AskAdmin
  print: Print
  /** Default: the first line of standard input. */
  readLine?: () => Promise<string>
}

/** Adds `show`, the history of one resource. */
export function addShowCommand(program: Command, { ask, print, readLine = readStdinLine }: ShowDeps): void {
  program
    .command('show')
    .description('show the history of a resource: deliveries, snapshots, runs, writes')
    .argument('[id]', 'its id, or any number that it carries')
    .option('--patient <number>', "by the patient's internal_id or mrn")
    .option('--member <number>', 'by a member number')
    .option('--prescription <number>', 'by a prescription_message_id')
    .option('--limit <count>', 'max number of entries, the newest', readLimit, 100)
    .option('--before <cursor>', 'earlier entries, as the last line of a story tells')
    .option('--reveal', 'print its stored snapshot, including the patient, as JSON; needs --reason')
    .option('--reason <text>', `why it must be seen, in ${reasonLength}; kept in the audit trail, so name no patient`)
    .option('--json', 'as JSON')
    .addHelpText('after', help)
    .action(async (id: string | undefined, options: Options, command: Command) => {
      const { limit, before, reveal = false, reason, json = false } = options
      if (reveal !== (reason !== undefined)) command.error('Say --reveal and --reason together.')
      const names = (['patient', 'member', 'prescription'] as const).filter((name) => options[name] !== undefined)
      const [name] = names
      if (names.length + (id === undefined ? 0 : 1) !== 1)
        command.error('Say which: an id, or one of --patient, --member, --prescription.')
      const given = (name === undefined ? id : options[name]) ?? ''
      const sought = {
        value: given === '-' ? await readLine() : given,
        ...(name !== undefined && { fields: [...fieldsOf[name]] }),
      }
      const { matches, isAll } = await ask(contract.find, { body: sought })
      const [match] = matches
      if (match === undefined)
        throw new AdminRequestFailed(
          'No resource of this id or number is known here: `pawl sync <id>` asks the service.',
        )
      if (matches.length > 1) {
        if (json) printJson(print, { matches, isAll })
        else for (const line of formatTable(describeMatches(matches))) print(line)
        if (!json && !isAll) print('… and older ones.')
        return
      }
      if (reveal) {
        // Who looks at a patient says which.
        if (match.by === 'id' && match.id !== sought.value.trim()) command.error('Say the whole id with --reveal.')
        // Both options are there, or none.
        printJson(print, await ask(contract.reveal, { id: match.id, body: { reason: reason ?? '' } }))
        return
      }
      const story = await ask(contract.story, { id: match.id, query: { limit, before } })
      if (json) printJson(print, story)
      else for (const line of describeStory(story)) print(line)
    })
}

/** The first line of standard input, which no process list shows. */
export async function readStdinLine(): Promise<string> {
  let text = ''
  // Enter ends the input on a terminal.
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  return text.split('\n', 1)[0]?.trim() ?? ''
}
