import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { SandboxOptions } from './options.ts'
import {
  type AnsweringFault,
  answeringFaults,
  type ChaosPreset,
  type ChaosSettings,
  presetNames,
  type SendingFault,
  sendingFaults,
} from './platform/chaos-settings.ts'
import type { WebhookSettings } from './webhooks/settings.ts'

/** What the command line asks for. */
export interface CommandLine {
  port: number
  host: string
  isQuiet: boolean
  options: SandboxOptions
  /** A webhook of the default organization; replaces one of the same name. */
  webhook?: WebhookSettings
}

/** Nothing to run: help was printed (0), or the arguments are invalid and the fault was printed (2). */
export interface Ended {
  exitCode: 0 | 2
}

interface Flags {
  port: number
  host: string
  speed: number
  seed?: number
  data?: string
  webhookUrl?: string
  webhookSecret?: string
  chaos?: ChaosSettings | ChaosPreset
  allowPrivateFileUrls?: true
  quiet?: true
}

/** Parses the arguments (without node and script); help and faults go to `print`, by default to stdout and stderr. */
export function readCommandLine(args: readonly string[], print?: (text: string) => void): CommandLine | Ended {
  const command = createSandboxCommand('npm run sandbox --')
  if (print !== undefined) command.configureOutput({ writeOut: print, writeErr: print })
  try {
    command.parse(args, { from: 'user' })
    return commandLineOf(command)
  } catch (error) {
    if (error instanceof CommanderError) return { exitCode: error.exitCode === 0 ? 0 : 2 }
    throw error
  }
}

/** The command with its options, to be parsed, or added to a program; throws CommanderError once it has printed help or a fault. */
export function createSandboxCommand(name: string): Command {
  const port = new Option('--port <port>', 'port to listen on, 0 for a free one').env('SANDBOX_PORT')
  return new Command(name)
    .description('A stateful local copy of the service that sends the webhooks it causes.')
    .addOption(port.default(4000).argParser(integer(0, 65_535)))
    .option('--host <address>', 'address to listen on; mind that the controls ask for no token', '127.0.0.1')
    .option(
      '--speed <factor>',
      'sandbox time per wall time; 1: real hours and days, 0: moves only through controls',
      speed,
      1_000,
    )
    .option('--seed <integer>', 'same seed, same requests: same ids, delays and outcomes', integer(0, 2 ** 31))
    .option('--data <file>', 'SQLite file that keeps everything over a restart (default: memory)')
    .option('--webhook-url <url>', "where the default organization's webhook goes", httpUrl)
    .option('--webhook-secret <secret>', 'signs its deliveries', nonEmpty)
    .option('--chaos <what>', chaosHelp, chaos)
    .option('--allow-private-file-urls', 'let file_url lead to private and loopback addresses')
    .option('--quiet', 'print nothing but faults')
    .allowExcessArguments(false)
    .showHelpAfterError('(--help lists the options)')
    .addHelpText('after', '\nMore in docs/sandbox.md, and at /docs of the running sandbox.')
    .exitOverride()
}

/** What a command that has been parsed asks for; ends as the command does where options do not go together. */
export function commandLineOf(command: Command): CommandLine {
  const flags = command.opts<Flags>()
  if ((flags.webhookUrl === undefined) !== (flags.webhookSecret === undefined))
    command.error('error: --webhook-url and --webhook-secret go together')
  const { port, host, speed, seed, data, webhookUrl: url, webhookSecret: secret, chaos } = flags
  return {
    port,
    host,
    isQuiet: flags.quiet === true,
    options: {
      speed,
      allowPrivateFileUrls: flags.allowPrivateFileUrls === true,
      ...(seed === undefined ? {} : { seed }),
      ...(data === undefined ? {} : { data }),
      ...(chaos === undefined ? {} : { chaos }),
    },
    ...(url === undefined || secret === undefined ? {} : { webhook: { name: 'default', url, secret } }),
  }
}

function integer(low: number, high: number) {
  return (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= low && value <= high) return value
    throw new InvalidArgumentError(`It must be an integer from ${low} to ${high}.`)
  }
}

function speed(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value
  throw new InvalidArgumentError('It must be a number, 0 or more.')
}

function nonEmpty(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('It must not be empty.')
}

function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text
  throw new InvalidArgumentError('It must be an http or https address.')
}

const chaosHelp = `what goes wrong how often: ${presetNames.join(', ')}; or chances, as duplicate=0.2,timeout=0.05, of: ${[...sendingFaults, ...answeringFaults].join(', ')}`

function chaos(text: string): ChaosSettings | ChaosPreset {
  const preset = presetNames.find((name) => name === text)
  if (preset !== undefined) return preset
  const sending: Partial<Record<SendingFault, number>> = {}
  const answering: Partial<Record<AnsweringFault, number>> = {}
  for (const part of text.split(',')) {
    const [name, value] = part.split('=')
    const chance = Number(value)
    const sent = sendingFaults.find((fault) => fault === name)
    const answered = answeringFaults.find((fault) => fault === name)
    if ((sent === undefined && answered === undefined) || !(chance >= 0 && chance <= 1) || value === '')
      throw new InvalidArgumentError(`"${part}" is neither a preset nor a chance from 0 to 1.`)
    if (sent !== undefined) sending[sent] = chance
    if (answered !== undefined) answering[answered] = chance
  }
  return { sending, answering }
}
