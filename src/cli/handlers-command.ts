import type { Command } from 'commander'
import { integrationFile } from '@pawl/base/integration-file'
import type { z } from 'zod'
import { loadIntegration } from '../work/load-integration.ts'
import { eventKinds } from 'pawl-client/events/event-types'
import type { AnyHandler } from '../work/handler.ts'
import { contract } from '@pawl/console/contract/contract'
import { describePause } from '@pawl/console/commands/pause-commands'
import { AdminRequestFailed, type AskAdmin } from '@pawl/console/commands/admin-client'
import { formatDuration, formatTable, type Print, printJson } from '@pawl/console/commands/output'

// Built when it is shown, since it names a file of the project.
const help = () => `
Prints for each handler of ${integrationFile()} its mode, its last run and the event types that it follows, and below them the types without a handler. A change found by a poll goes to every handler of the kind, regardless of event types.

Last runs come from a running pawl, from its newest 5,000 runs; without one the rest is printed.

Exits with 0.`

interface HandlersDeps {
  ask: AskAdmin
  print: Print
  /** Default: those of the integration. */
  load?: () => Promise<readonly AnyHandler[]>
}

async function loadHandlers(): Promise<readonly AnyHandler[]> {
  return (await loadIntegration()).handlers
}

/** Adds `handlers`, which shows the events that each handler follows. */
export function addHandlersCommand(program: Command, { ask, print, load = loadHandlers }: HandlersDeps): void {
  program
    .command('handlers')
    .description('show the handlers of the integration, the events they follow, and events without a handler')
    .option('--json', 'as JSON')
    .addHelpText('after', help)
    .action(async ({ json = false }: { json?: boolean }) => {
      const asked = await askLastRuns(ask)
      const runs = new Map(asked.lastRuns.map(({ handler, result, agoMs }) => [handler, { result, agoMs }]))
      const handlers = (await load()).map(({ name, on, mode = 'latest' }) => {
        const lastRun = runs.get(name)
        const isPaused = asked.paused.some((pause) => pause.kind === 'handler' && pause.name === name)
        return { name, mode, ...(lastRun && { lastRun }), ...(isPaused && { isPaused }), follows: on }
      })
      const followed = new Set<string>(handlers.flatMap(({ follows }) => follows))
      const unfollowed = Object.keys(eventKinds).filter((type) => !followed.has(type))
      if (json) {
        printJson(print, { handlers, unfollowed, problem: asked.problem })
        return
      }
      const rows = handlers.map(({ name, mode, lastRun, follows }) => [
        name,
        mode,
        describe(lastRun),
        follows.join(', '),
      ])
      for (const line of formatTable([['handler', 'mode', 'last run', 'follows'], ...rows])) print(line)
      print(`Without a handler: ${unfollowed.length === 0 ? 'none' : unfollowed.join(', ')}`)
      for (const each of asked.paused) print(`Paused: ${describePause(each)}`)
      if (asked.problem !== undefined) print(`Last runs are not known. ${asked.problem}`)
    })
}

async function askLastRuns(ask: AskAdmin): Promise<z.infer<typeof contract.handlers.answer> & { problem?: string }> {
  try {
    return await ask(contract.handlers)
  } catch (error) {
    if (!(error instanceof AdminRequestFailed)) throw error
    return { lastRuns: [], paused: [], problem: error.message }
  }
}

function describe(lastRun: { result: string; agoMs: number } | undefined): string {
  return lastRun === undefined ? '-' : `${lastRun.result} ${formatDuration(lastRun.agoMs)} ago`
}
