import { loadIntegration } from '../work/load-integration.ts'
import type { Command } from 'commander'
import { ConfigInvalid } from '@pawl/base/errors'
import { integrationFile } from '@pawl/base/integration-file'
import { readConfig } from '../settings/read-config.ts'
import { type Print, printJson } from './output.ts'
import { createProgressLine } from './progress-line.ts'
import { readNumber } from './read-number.ts'
import { readSince } from './read-since.ts'

const help = `
Runs each handler on the snapshots in the ledger, as for the first time, and prints by handler how it would differ from its recorded runs:
  write differently  an existing record in a system would change
  write more         a new write; "once": an effect that is not recorded; "api.…": a changing call of the service
  not write          a recorded write that would not happen any more
  throw              where the last run succeeded, or failed with another error: its class, and its code or place
  succeed, failed    where the last run failed with this code
  (cannot tell)      where only the service or a system could answer

Nothing is sent, and the ledger is only read, so it may run beside pawl, with the same settings. Chart and pharmacy are compared by the digests in the ledger; the only request to the chart is for its metadata. Systems without "rehearse" (docs/connectors.md) are compared by whether they would be called at all. Side effects that bypass the ports, such as writing a file, do happen.

Exits with 0 when nothing differs; 1 when something does, or the ledger cannot be read; 2 for wrong options or settings.`

interface Options {
  dryRun?: boolean
  since?: Date
  handler?: string[]
  limit: number
  json?: boolean
}

/** Adds `replay`, which shows what changed handlers would do differently. */
export function addReplayCommand(program: Command, { print }: { print: Print }): void {
  program
    .command('replay')
    .description('run changed handlers on the snapshots of the ledger, and show which writes would differ')
    .option('--dry-run', 'required: nothing is sent; pawl itself runs handlers again with "pawl retry"')
    .option('--since <when>', 'resources read since a date-time, or an age: 90m, 6h, 7d', readSince)
    .option('--handler <name>', 'this handler; may be repeated (default: all)', addName)
    .option('--limit <number>', 'ids to print for each kind of difference', readNumber(0, 9_999), 5)
    .option('--json', 'print one JSON object')
    .addHelpText('after', help)
    .action(async (options: Options, command: Command) => {
      if (options.dryRun === undefined) command.error('Say --dry-run: replay does nothing else.')
      const hasDifference = await replay(options, print)
      // Handles that a handler left open must not keep the process alive; flush the output first.
      process.stdout.write('', () => process.exit(hasDifference ? 1 : 0))
    })
}

async function replay({ since, handler: names, limit, json = false }: Options, print: Print): Promise<boolean> {
  // Imported lazily: it loads all of pawl.
  const integration = await loadIntegration()
  const { systemsOf } = await import('../work/integration.ts')
  const { isDifferent, replayLedger } = await import('./replay/replay-ledger.ts')
  const { formatReplay } = await import('./replay/format-replay.ts')
  const { databaseUrl, sealingKeys, acceptsPlain, settings } = readConfig(process.env, integration.settings)
  const unknown = names?.find((name) => !integration.handlers.some((each) => each.name === name))
  if (unknown !== undefined) throw new ConfigInvalid(`${integrationFile()} has no handler ${unknown}.`)
  const systems = systemsOf(integration, settings)
  const line = process.stderr.isTTY ? createProgressLine(process.stderr) : undefined
  try {
    const result = await replayLedger({
      databaseUrl,
      sealingKeys,
      acceptsPlain,
      systems,
      settings,
      handlers: integration.handlers.filter(({ name }) => names?.includes(name) ?? true),
      since: since?.getTime(),
      limit,
      onProgress: (progress) => line?.show({ ...progress, what: 'resources' }),
    })
    line?.end()
    if (json) printJson(print, result)
    else for (const text of formatReplay(result)) print(text)
    return result.groups.some(isDifferent)
  } finally {
    line?.end()
    await Promise.allSettled(Object.values(systems).map(async (system) => system.close?.()))
  }
}

function addName(name: string, others: string[] | undefined): string[] {
  return [...(others ?? []), name]
}
