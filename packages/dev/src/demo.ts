import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { describeError } from '@pawl/base/errors'
import { showHidden } from '@pawl/base/show-hidden'
import { runDemo } from './demo/run-demo.ts'
import { endCommand } from '../../../src/cli/end-command.ts'
import { readNumber } from '@pawl/console/commands/read-number'

const { keep, seed, color, verbose } = new Command('npm run demo --')
  .description(
    'Plays prior authorizations, a benefit verification and a prescription transfer through pawl, all on this machine.',
  )
  .option('--keep', 'leave everything running at the end and print the addresses')
  .option('--seed <number>', 'repeat the same ids and delays', readNumber())
  .option('--verbose', "print pawl's log as it comes, in place of a line a case")
  .option('--no-color', 'plain text')
  .showHelpAfterError()
  .exitOverride(endCommand)
  .parse()
  .opts<{ keep?: boolean; seed?: number; color: boolean; verbose?: boolean }>()

/** Interruptions of the demo, with the exit codes that a shell expects. */
interface Interruption {
  cause: string
  exitCode: number
}
let interruption: Interruption | undefined
const interrupted = new AbortController()
const interrupt = (cause: string, exitCode: number) => {
  interruption ??= { cause, exitCode }
  interrupted.abort()
}
// Not `once`: npm forwards a Ctrl-C that the terminal already sent to both.
for (const [signal, exitCode] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }))
  process.on(signal, () => interrupt(signal, exitCode))
// The reader closed the pipe, as with `| head`.
process.stdout.on('error', () => interrupt('the output was closed', 141))

async function run(): Promise<number> {
  try {
    const isInStep = await runDemo({
      root: fileURLToPath(new URL('../../..', import.meta.url)),
      print: (line) => process.stdout.write(`${line}\n`),
      isColoured: color && process.stdout.isTTY && (process.env.NO_COLOR ?? '') === '',
      verbose,
      terminal: process.stdout.isTTY ? process.stdout : undefined,
      seed,
      keep,
      signal: interrupted.signal,
    })
    return isInStep ? 0 : 1
  } catch (error) {
    if (interruption === undefined) {
      process.stderr.write(`${showHidden(describeError(error).message)}\n`)
      return 1
    }
    process.stderr.write(`Interrupted before the comparison (${interruption.cause}): this run shows nothing.\n`)
    return interruption.exitCode
  }
}

const exitCode = await run()
// Flush the output first.
process.stdout.write('', () => process.exit(exitCode))
