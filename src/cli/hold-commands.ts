import { type Command, InvalidArgumentError, Option } from 'commander'
import { contract } from '../console/contract/contract.ts'
import type { Hold } from '../console/contract/work-contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatDuration, jsonOption, type Print, printJson } from './output.ts'

const pauseHelp = `
Prints all that is paused now. Webhooks are taken and stored as ever. Runs of a paused handler are not begun, a paused system is not asked, and the work waits without an attempt lost; with --all nothing is worked on and nothing is polled. What is in work ends first. It holds for all processes and over restarts, until "pawl resume".

Exits with 0, also when it is paused already; 1 when no pawl answers, or when the name is unknown; 2 for wrong options.`

const resumeHelp = `
Prints how many resources are tried now, and what is still paused. With --limit it stays paused for all others, so that you can let work go on in steps: the longest waiting first, again and again, and at the end without --limit. What was let through is worked on whatever else is paused.

Exits with 0; 1 when no pawl answers, or when the name is unknown or not paused; 2 for wrong options.`

interface Options {
  all?: boolean
  kind?: 'handler' | 'system'
  reason?: string
  limit?: number
  json?: boolean
}

/** One line on something that is paused. */
export function describeHeld({ kind, name, forMs, reason }: Hold): string {
  const what = kind === 'all' ? 'all work' : `${kind} ${name}`
  return `${what} for ${formatDuration(forMs)}${reason === undefined ? '' : `: ${reason}`}`
}

/** Adds `pause`, which holds work up, and `resume`, which lets it go on. */
export function addHoldCommands(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  const kind = () => new Option('--kind <kind>', 'where both have the name').choices(['handler', 'system'])
  program
    .command('pause')
    .description('hold up the work of a handler, with a system, or all of it; nothing is lost')
    .argument('[name]', 'the handler, or the system, such as ehr, pharmacy or api')
    .option('--all', 'all work')
    .addOption(kind())
    .option('--reason <text>', 'why, for whoever looks at the status; nothing about a patient')
    .option(...jsonOption)
    .addHelpText('after', pauseHelp)
    .action(async (name: string | undefined, options: Options, command: Command) => {
      const { reason, json = false } = options
      const answer = await ask(contract.pause, { body: { ...named(name, options, command), reason } })
      if (json) return printJson(print, answer)
      for (const each of answer.held) print(`Paused: ${describeHeld(each)}.`)
    })
  program
    .command('resume')
    .description('let paused work go on, all of it or some')
    .argument('[name]', 'the handler or the system')
    .option('--all', 'what "pause --all" or a start with --hold holds up')
    .addOption(kind())
    .option('--limit <count>', 'so many resources, and no others yet', readCount)
    .option(...jsonOption)
    .addHelpText('after', resumeHelp)
    .action(async (name: string | undefined, options: Options, command: Command) => {
      const { limit, json = false } = options
      const answer = await ask(contract.resume, { body: { ...named(name, options, command), limit } })
      if (json) return printJson(print, answer)
      const { resources, more, held } = answer
      if (limit !== undefined)
        print(`Let through: ${formatCount(resources, 'resource')}${more ? '; others wait.' : '; no others wait.'}`)
      else print('Resumed: what waited is tried now.')
      for (const each of held) print(`Still paused: ${describeHeld(each)}.`)
    })
}

function named(name: string | undefined, { all, kind }: Options, command: Command) {
  if ((name === undefined) === (all === undefined)) command.error('Say which: a name, or --all.')
  return name === undefined ? { all: true as const } : { name, kind }
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('It is from 1 to 99999.')
  return Number(text)
}
