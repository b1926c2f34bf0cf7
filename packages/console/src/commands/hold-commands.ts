import { type Command, Option } from 'commander'
import { reasonLength } from '../contract/reason.ts'
import { type Hold, workContract } from '../contract/work-contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatDuration, jsonOption, type Print, printJson } from './output.ts'
import { readNumber } from './read-number.ts'

const pauseHelp = `
Prints everything that is paused. Webhooks are still accepted and stored. A paused handler starts no runs, a paused system gets no requests, and their work waits without losing attempts; with --all nothing runs and nothing is polled. Running work finishes first. A pause applies to all processes and survives restarts, until "pawl resume".

Exits with 0, also when it is paused already; 1 when no pawl answers, or when the name is unknown; 2 for wrong options.`

const resumeHelp = `
Prints how many resources run now, and what is still paused. With --limit all others stay paused, so that work can resume in steps: the longest waiting first, repeatedly, and at the end without --limit. Released work runs regardless of other pauses.

Exits with 0; 1 when no pawl answers, or when the name is unknown or not paused; 2 for wrong options.`

interface Options {
  all?: boolean
  kind?: 'handler' | 'system'
  reason?: string
  limit?: number
  json?: boolean
}

/** One line about a pause. */
export function describeHeld({ kind, name, forMs, reason }: Hold): string {
  const what = kind === 'all' ? 'all work' : `${kind} ${name}`
  return `${what} for ${formatDuration(forMs)}${reason === undefined ? '' : `: ${reason}`}`
}

/** Adds `pause` and `resume`. */
export function addHoldCommands(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
  const kind = () =>
    new Option('--kind <kind>', 'if a handler and a system share the name').choices(['handler', 'system'])
  program
    .command('pause')
    .description('pause the work of a handler, with a system, or all of it; nothing is lost')
    .argument('[name]', 'the handler, or the system, such as ehr, pharmacy or api')
    .option('--all', 'all work')
    .addOption(kind())
    .option('--reason <text>', `why, in ${reasonLength}, shown in the status; nothing about a patient`)
    .option(...jsonOption)
    .addHelpText('after', pauseHelp)
    .action(async (name: string | undefined, options: Options, command: Command) => {
      const { reason, json = false } = options
      const answer = await ask(workContract.pause, { body: { ...named(name, options, command), reason } })
      if (json) return printJson(print, answer)
      for (const each of answer.held) print(`Paused: ${describeHeld(each)}.`)
    })
  program
    .command('resume')
    .description('resume paused work, all of it or some')
    .argument('[name]', 'the handler or the system')
    .option('--all', 'all work, paused by "pause --all" or a start with --hold')
    .addOption(kind())
    .option('--limit <count>', 'release only this many resources for now', readNumber(1, 99_999))
    .option(...jsonOption)
    .addHelpText('after', resumeHelp)
    .action(async (name: string | undefined, options: Options, command: Command) => {
      const { limit, json = false } = options
      const answer = await ask(workContract.resume, { body: { ...named(name, options, command), limit } })
      if (json) return printJson(print, answer)
      const { resources, more, held } = answer
      if (limit !== undefined)
        print(`Released: ${formatCount(resources, 'resource')}${more ? '; others wait.' : '; no others wait.'}`)
      else print('Resumed: waiting work is due now.')
      for (const each of held) print(`Still paused: ${describeHeld(each)}.`)
    })
}

function named(name: string | undefined, { all, kind }: Options, command: Command) {
  if ((name === undefined) === (all === undefined)) command.error('Say which: a name, or --all.')
  return name === undefined ? { all: true as const } : { name, kind }
}
