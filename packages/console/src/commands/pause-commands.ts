import { type Command, Option } from 'commander'
import { reasonLength } from '../contract/reason.ts'
import { type Pause, workContract } from '../contract/work-contract.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatCount, formatDuration, jsonOption, type Print, printJson } from './output.ts'

const pauseHelp = `
Prints everything that is paused. Webhooks are still accepted and stored. A paused handler starts no runs, a paused system gets no requests, and their work waits without losing attempts; with --all nothing runs and nothing is polled. Running work finishes first. A pause applies to all processes and survives restarts, until "pawl resume".

Exits with 0, also when it is paused already; 1 when no pawl answers, or when the name is unknown; 2 for wrong options.`

const resumeHelp = `
Prints how many resources waited and run now, and what is still paused.

Exits with 0; 1 when no pawl answers, or when the name is unknown or not paused; 2 for wrong options.`

interface Options {
  all?: boolean
  kind?: 'handler' | 'system'
  reason?: string
  json?: boolean
}

/** One line about a pause. */
export function describePause({ kind, name, forMs, reason }: Pause): string {
  const what = kind === 'all' ? 'all work' : `${kind} ${name}`
  const since = forMs < 1_000 ? '' : ` for ${formatDuration(forMs)}`
  return `${what}${since}${reason === undefined ? '' : `: ${reason}`}`
}

/** Adds `pause` and `resume`. */
export function addPauseCommands(program: Command, { ask, print }: { ask: AskAdmin; print: Print }): void {
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
      for (const each of answer.paused) print(`Paused: ${describePause(each)}.`)
    })
  program
    .command('resume')
    .description('resume paused work')
    .argument('[name]', 'the handler or the system')
    .option('--all', 'all work, paused by "pause --all" or a start with --paused')
    .addOption(kind())
    .option(...jsonOption)
    .addHelpText('after', resumeHelp)
    .action(async (name: string | undefined, options: Options, command: Command) => {
      const answer = await ask(workContract.resume, { body: named(name, options, command) })
      if (options.json) return printJson(print, answer)
      const waited = answer.resources === 0 ? '' : ` (${formatCount(answer.resources, 'resource')})`
      print(`Resumed: waiting work is due now${waited}.`)
      for (const each of answer.paused) print(`Still paused: ${describePause(each)}.`)
    })
}

function named(name: string | undefined, { all, kind }: Options, command: Command) {
  if ((name === undefined) === (all === undefined)) command.error('Say which: a name, or --all.')
  return name === undefined ? { all: true as const } : { name, kind }
}
