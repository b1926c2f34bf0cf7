import type { Command } from 'commander'
import type { z } from 'zod'
import { catalog } from '../service/events/catalog.ts'
import type { AnyHandler } from '../work/handler.ts'
import { contract } from '../console/contract/contract.ts'
import { describeHeld } from './hold-commands.ts'
import { AdminRequestFailed, type AskAdmin } from './admin-client.ts'
import { formatDuration, formatTable, type Print, printJson } from './output.ts'

const help = `
Prints for each handler of src/integration/index.ts its mode, its last run and the event types that it follows, and below them the types that nobody follows. What a poll finds is for every handler of the kind, whatever types it follows.

The last runs come from a running pawl, and are those among its newest 5,000; without one all else is printed.

Exits with 0.`

interface HandlersDeps {
  ask: AskAdmin
  print: Print
  /** Default: those of the integration. */
  load?: () => Promise<readonly AnyHandler[]>
}

/** Loaded when they are asked for: no other command needs handlers and connectors, and they take a while. */
async function loadHandlers(): Promise<readonly AnyHandler[]> {
  const { default: integration } = await import('../integration/index.ts')
  return integration.handlers
}

/** Adds `handlers`, which shows what follows what. */
export function addHandlersCommand(program: Command, { ask, print, load = loadHandlers }: HandlersDeps): void {
  program
    .command('handlers')
    .description('show the handlers of the integration, what they follow, and which events nobody follows')
    .option('--json', 'as JSON')
    .addHelpText('after', help)
    .action(async ({ json = false }: { json?: boolean }) => {
      const asked = await askLastRuns(ask)
      const runs = new Map(asked.lastRuns.map(({ handler, result, agoMs }) => [handler, { result, agoMs }]))
      const handlers = (await load()).map(({ name, on, mode = 'latest' }) => {
        const lastRun = runs.get(name)
        const isPaused = asked.held.some((hold) => hold.kind === 'handler' && hold.name === name)
        return { name, mode, ...(lastRun && { lastRun }), ...(isPaused && { isPaused }), follows: on }
      })
      const followed = new Set<string>(handlers.flatMap(({ follows }) => follows))
      const unfollowed = Object.keys(catalog).filter((type) => !followed.has(type))
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
      print(`Nobody follows: ${unfollowed.length === 0 ? 'none' : unfollowed.join(', ')}`)
      for (const each of asked.held) print(`Paused: ${describeHeld(each)}`)
      if (asked.problem !== undefined) print(`Last runs are not known. ${asked.problem}`)
    })
}

async function askLastRuns(ask: AskAdmin): Promise<z.infer<typeof contract.handlers.answer> & { problem?: string }> {
  try {
    return await ask(contract.handlers)
  } catch (error) {
    if (!(error instanceof AdminRequestFailed)) throw error
    return { lastRuns: [], held: [], problem: error.message }
  }
}

function describe(lastRun: { result: string; agoMs: number } | undefined): string {
  return lastRun === undefined ? '-' : `${lastRun.result} ${formatDuration(lastRun.agoMs)} ago`
}
