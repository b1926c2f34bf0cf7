#!/usr/bin/env node
import { Command, InvalidArgumentError, Option } from 'commander'
import { describeError, PawlError } from '@pawl/base/errors'
import { createPrettyLog } from '@pawl/base/pretty-log'
import { showHidden } from '@pawl/base/show-hidden'
import { listenToKeys } from './dev/keys.ts'
import { type Dev, startDev } from './dev/run-dev.ts'
import { findSources } from './dev/dev-sources.ts'
import { endCommand } from '../../../src/cli/end-command.ts'
import { readNumber } from '@pawl/console/commands/read-number'

const help = `
Starts the sandbox, a FHIR R4 server, a pharmacy and the gateway, and restarts the gateway when .env or a source changes. Settings come from .env; missing ones get defaults for this run. A service, chart or pharmacy that .env names is used instead of a local one.

Exits with 0 after Ctrl-C, q or SIGTERM; 1 when it cannot start; 2 for wrong arguments.`

const port = readNumber(1, 65_535)

function factor(text: string): number {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text)) return value
  throw new InvalidArgumentError('It is a number, 0 or more.')
}

interface Flags {
  port?: number
  adminPort?: number
  sandboxPort: number
  fhirPort: number
  pharmacyPort: number
  speed: number
  seed?: number
  pretty?: true
  json?: true
}

const flags = new Command('npm run dev --')
  .description('The development environment, all on this machine.')
  .option('--port <port>', 'for webhooks (default: PORT, or 3000)', port)
  .option('--admin-port <port>', 'of the admin listener (default: ADMIN_PORT, or 3001)', port)
  .addOption(new Option('--sandbox-port <port>', 'of the sandbox').env('SANDBOX_PORT').default(4000).argParser(port))
  .option('--fhir-port <port>', 'of the FHIR server', port, 4100)
  .option('--pharmacy-port <port>', 'of the pharmacy', port, 4200)
  .option('--speed <factor>', 'sandbox seconds per second', factor, 5_000)
  .option('--seed <number>', 'play the same ids and delays again', readNumber())
  .option('--pretty', 'readable lines (default on a terminal)')
  .option('--json', "the gateway's raw log; other output goes to standard error (default elsewhere)")
  .addHelpText('after', help)
  .allowExcessArguments(false)
  .showHelpAfterError('(--help lists the options)')
  .exitOverride(endCommand)
  .parse()
  .opts<Flags>()

const isPretty = flags.json !== true && (flags.pretty === true || process.stdout.isTTY)
const isColoured = process.stdout.isTTY && (process.env.NO_COLOR ?? '') === ''
const sources = findSources()
const pretty = createPrettyLog({ isColoured, root: sources.root })
const hasKeys = process.stdin.isTTY

let dev: Dev | undefined
let ending: Promise<void> | undefined
/** Safe to call twice: npm forwards a Ctrl-C that the terminal already sent to both. */
function end(exitCode: number): void {
  ending ??= (async () => {
    await dev?.close()
    process.exit(exitCode)
  })()
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0))
// The reader closed the pipe, as with `| head`.
process.stdout.on('error', () => end(0))

try {
  dev = await startDev({
    sources,
    ports: {
      gateway: flags.port,
      admin: flags.adminPort,
      sandbox: flags.sandboxPort,
      fhir: flags.fhirPort,
      pharmacy: flags.pharmacyPort,
    },
    speed: flags.speed,
    seed: flags.seed,
    hasKeys,
    onLogLine: (line) => void process.stdout.write(isPretty ? (pretty(line) ?? '') : `${showHidden(line)}\n`),
    say: (text) => {
      if (!isPretty) return void process.stderr.write(showHidden(text))
      const lines = text.replace(/\n$/, '').split('\n')
      process.stdout.write(lines.map((line) => pretty(line)).join(''))
    },
  })
  const { play, restart, tellSettings } = dev
  const keys = {
    p: () => void play('pa'),
    b: () => void play('bv'),
    r: restart,
    s: tellSettings,
    q: () => end(0),
  }
  if (hasKeys) listenToKeys(process.stdin, keys)
} catch (error) {
  const message = error instanceof PawlError ? error.message : describeError(error).message
  process.stderr.write(`${showHidden(message)}\n`)
  end(1)
}
