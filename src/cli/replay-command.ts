import { type Command, InvalidArgumentError } from 'commander'
import { ConfigInvalid } from '../base/errors.ts'
import { readConfig } from '../settings/read-config.ts'
import { type Print, printJson } from './output.ts'
import { createProgressLine } from './progress-line.ts'
import { readSince } from './read-since.ts'

const help = `
Runs each handler on the snapshots that the ledger holds, as for the first time, and prints by handler in which way it would act otherwise than is recorded:
  write differently  what a system holds of it would change
  write more         what was never written; "once": an effect that is not recorded; "api.…": a call of the service that changes something
  not write          what was written, and would not be looked at any more
  throw              where the last run succeeded, or failed with another error: its class, and its code or place
  succeed, failed    where the last run failed with this code
  (cannot tell)      where only the service or a system could answer

Nothing is sent, and the ledger is only read, so it may run beside pawl, with the same settings. Chart and pharmacy are compared by the digests that the ledger remembers; the chart is asked for its metadata and nothing else. Systems without "rehearse" (docs/connectors.md) are compared by whether they would be called at all. What a handler does beside its ports, such as writing a file, it does.

Exits with 0 when nothing differs; 1 when something does, or the ledger cannot be read; 2 for wrong options or settings.`

interface Options {
  dryRun?: boolean
  since?: Date
  handler?: string[]
  limit: number
  json?: boolean
}

/** Adds `replay`, which shows what changed handlers would do otherwise. */
export function addReplayCommand(program: Command, print: Print): void {
  program
    .command('replay')
    .description('run changed handlers on the snapshots of the ledger, and show which writes would differ')
    .option('--dry-run', 'required: nothing is sent; pawl itself runs handlers again with "pawl retry"')
    .option(
      '--since <when>',
      'resources that were read since a date-time, or since so long ago: 90m, 6h, 7d',
      readSince,
    )
    .option('--handler <name>', 'this handler; may be repeated (default: all)', addName)
    .option('--limit <number>', 'ids that are printed of each kind of difference', wholeNumber, 5)
    .option('--json', 'print one JSON object')
    .addHelpText('after', help)
    .action(async (options: Options, command: Command) => {
      if (options.dryRun === undefined) command.error('Say --dry-run: replay does nothing else.')
      const hasDifference = await replay(options, print)
      // What a handler left open must not keep the process alive; what was printed goes out first.
      process.stdout.write('', () => process.exit(hasDifference ? 1 : 0))
    })
}

async function replay({ since, handler: names, limit, json = false }: Options, print: Print): Promise<boolean> {
  // Loaded here alone: no other command needs all of it.
  const { default: integration } = await import('../integration/index.ts')
  const { systemsOf } = await import('../work/integration.ts')
  const { isDifferent, replayLedger } = await import('./replay/replay-ledger.ts')
  const { formatReplay } = await import('./replay/format-replay.ts')
  const { databaseUrl, sealingKeys, acceptsPlain, settings } = readConfig(process.env, integration.settings)
  const unknown = names?.find((name) => !integration.handlers.some((each) => each.name === name))
  if (unknown !== undefined) throw new ConfigInvalid(`src/integration/index.ts has no handler ${unknown}.`)
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

function wholeNumber(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It is a whole number.')
  return Number(text)
}

function addName(name: string, others: string[] | undefined): string[] {
  return [...(others ?? []), name]
}
