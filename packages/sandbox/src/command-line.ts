import { Command, CommanderError, Option } from 'commander'
import { chaos, chaosHelp, httpUrl, integer, nonEmpty, oneMore, oneOverride, speed } from './command-arguments.ts'
import { type FileConfig, readConfigFile } from './config-file.ts'
import type { SandboxOptions } from './options.ts'
import type { ChaosPreset, ChaosSettings } from './platform/chaos-settings.ts'
import type { WebhookSettings } from './webhooks/settings.ts'

/** A sandbox to run. */
export interface CommandLine {
  port: number
  host: string
  /** Prints each event as a line of JSON, in place of the welcome for people. */
  json: boolean
  options: SandboxOptions
  /** Webhook of the default organization; replaces one of the same name. */
  webhook?: WebhookSettings
}

/** A command for a running sandbox. */
export type Subcommand = { host: string; port: number; json: boolean } & (
  | { subcommand: 'list' }
  | {
      subcommand: 'trigger'
      scenario: string
      organization?: string | undefined
      overrides?: Record<string, unknown> | undefined
    }
  | { subcommand: 'send'; file: string; organization?: string | undefined; webhook?: string | undefined }
  | {
      subcommand: 'logs'
      id?: string | undefined
      filter: Partial<Record<LogFilterName, string>>
      limit: number
      follow: boolean
    }
)

/** The name of a command. */
export type SubcommandOf<Name extends Subcommand['subcommand']> = Extract<Subcommand, { subcommand: Name }>

const logFilters = ['method', 'status', 'code', 'path', 'organization'] as const
type LogFilterName = (typeof logFilters)[number]

/** Nothing to run: printed help (0), or a fault in the arguments (2). */
export interface Ended {
  exitCode: 0 | 2
}

interface Flags {
  port: number
  host: string
  hostName?: string[]
  config?: string
  speed: number
  seed?: number
  data?: string
  webhookUrl?: string
  webhookSecret?: string
  chaos?: ChaosSettings | ChaosPreset
  allowPrivateFileUrls?: true
  json?: true
}

/** Parses the arguments after node and the script. Help and faults go to `print`, by default stdout and stderr. */
export function readCommandLine(
  args: readonly string[],
  name = 'npm run sandbox --',
  print?: (text: string) => void,
): CommandLine | Subcommand | Ended {
  let chosen: CommandLine | Subcommand | undefined
  const command = createSandboxCommand(name, (choice) => void (chosen = choice))
  if (print !== undefined)
    for (const one of [command, ...command.commands]) one.configureOutput({ writeOut: print, writeErr: print })
  try {
    command.parse(args, { from: 'user' })
    return chosen ?? { exitCode: 0 }
  } catch (error) {
    if (error instanceof CommanderError) return { exitCode: error.exitCode === 0 ? 0 : 2 }
    throw error
  }
}

/** The command with its options and subcommands, to parse or to add to a program. Calls `choose`, or throws CommanderError after printing help or a fault. */
export function createSandboxCommand(
  name: string,
  choose: (choice: CommandLine | Subcommand) => void | Promise<void>,
): Command {
  const port = new Option('--port <port>', 'port to listen on, 0 for a free one').env('SANDBOX_PORT')
  const command: Command = new Command(name)
    .description('A stateful local copy of the service that sends the webhooks it causes.')
    .addOption(port.default(4000).argParser(integer(0, 65_535)))
    .option('--host <address>', 'address to listen on (the controls need no token)', '127.0.0.1')
    .option('--host-name <name>', 'another name under which browsers may reach its controls and pages', oneMore)
    .option('--config <file>', 'JSON: organizations with workflow, quotas and webhooks, and any of these options')
    .option('--speed <factor>', 'how much faster than real time; see below', speed, 1_000)
    .option('--seed <integer>', 'same seed, same requests: same ids, delays and outcomes', integer(0, 2 ** 31))
    .option('--data <file>', 'SQLite file that keeps all state across restarts (default: memory)')
    .option('--webhook-url <url>', "URL of the default organization's webhook", httpUrl)
    .option('--webhook-secret <secret>', 'signs its deliveries', nonEmpty)
    .option('--chaos <what>', chaosHelp, chaos)
    .option('--allow-private-file-urls', 'let file_url point to private and loopback addresses')
    .option('--json', 'print each request, refusal, transition and delivery attempt as a line of JSON')
    .allowExcessArguments(false)
    .showHelpAfterError('(--help lists the options)')
    .addHelpText('after', () => helpOf(command.parent === null ? name : `${command.parent.name()} ${name}`))
    .exitOverride()
    .action(() => choose(commandLineOf(command)))
  addSubcommands(command, choose)
  return command
}

/** Extra help text; `call` is the command as called here. */
const helpOf = (call: string) => `
Speed is sandbox time per real time:
  --speed 1        real time: a prior authorization takes one to two days
  --speed 60       an hour per minute: watch one go from status to status
  --speed 1000     the default: a day in a minute and a half
  --speed 100000   a day per second: for your tests
  --speed 0        time stands still, except when you push, trigger or advance

Examples:
  ${call} --webhook-url http://127.0.0.1:3000/webhooks \\
    --webhook-secret a-secret-of-32-characters-or-more
  ${call} --config sandbox.json --speed 60
  ${call} list
  ${call} trigger denied-then-appealed
  ${call} logs --follow --status 4xx

More in docs/sandbox.md, and at /docs of the running sandbox.`

function addSubcommands(command: Command, choose: (choice: Subcommand) => void | Promise<void>): void {
  const where = () => {
    const { port, host, json } = command.opts<Flags>()
    return { host, port, json: json === true }
  }
  command
    .command('list')
    .description('list the scenarios, with a sentence each')
    .action(() => choose({ subcommand: 'list', ...where() }))
  command
    .command('trigger')
    .description('run a scenario in the sandbox on --port, and print the expected events')
    .argument('<scenario>', 'a name from list, or your own .json file')
    .option('--organization <id>', 'owner of the resources (default: the default organization)')
    .option(
      '--override <path=value>',
      'a field of every create, such as patient.last_name=Muster; can be repeated',
      oneOverride,
    )
    .action((scenario: string, flags: { organization?: string; override?: Record<string, unknown> }) =>
      choose({
        subcommand: 'trigger',
        scenario,
        organization: flags.organization,
        overrides: flags.override,
        ...where(),
      }),
    )
  command
    .command('send')
    .description('make the sandbox on --port send a file, signed, to its webhooks')
    .argument('<file>', 'sent byte for byte')
    .option('--organization <id>', 'owner of the webhooks (default: the default organization)')
    .option('--webhook <name>', 'send to this webhook only')
    .action((file: string, { organization, webhook }: { organization?: string; webhook?: string }) =>
      choose({ subcommand: 'send', file, organization, webhook, ...where() }),
    )
  command
    .command('logs')
    .description('print the newest requests that the sandbox on --port answered')
    .argument('[id]', 'print this one, with body, answer and curl command')
    .option('--follow', 'print requests as they end, until Ctrl-C')
    .option('--method <method>', 'only these, such as POST', (method) => method.toUpperCase())
    .addOption(
      new Option('--status <class>', 'only these; none: without an answer').choices([
        '2xx',
        '3xx',
        '4xx',
        '5xx',
        'none',
      ]),
    )
    .option('--code <code>', 'only answers with this error code')
    .option('--path <part>', 'only paths with this part')
    .option('--organization <id>', 'only those of this organization')
    .addOption(new Option('--limit <number>', 'how many to begin with').default(20).argParser(integer(1, 1_000)))
    .action((id: string | undefined, flags: LogFlags) => {
      const filter = Object.fromEntries(
        logFilters.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])),
      )
      return choose({ subcommand: 'logs', id, filter, limit: flags.limit, follow: flags.follow === true, ...where() })
    })
  // Listed only in the subcommands' help: the sandbox's own options of these names parse the values in any position.
  for (const each of command.commands)
    each
      .option('--port <port>', 'where the sandbox listens (default: 4000, env: SANDBOX_PORT)')
      .option('--json', 'print JSON')
}

interface LogFlags extends Partial<Record<LogFilterName, string>> {
  follow?: true
  limit: number
}

/** Reads a parsed command; conflicting options end it with an error. */
function commandLineOf(command: Command): CommandLine {
  const flags = command.opts<Flags>()
  if ((flags.webhookUrl === undefined) !== (flags.webhookSecret === undefined))
    command.error('error: --webhook-url and --webhook-secret go together')
  const { seed, data, webhookUrl: url, webhookSecret: secret, chaos } = flags
  const file = readFile(command, flags.config)
  /** The given flag, else the file's field, else the flag's default. */
  const chosen = <T>(flag: 'port' | 'host' | 'speed', fromFile: T | undefined, value: T): T =>
    command.getOptionValueSource(flag) === 'default' ? (fromFile ?? value) : value
  return {
    port: chosen('port', file?.port, flags.port),
    host: chosen('host', file?.host, flags.host),
    json: flags.json === true,
    options: {
      ...file?.options,
      speed: chosen('speed', file?.options.speed, flags.speed),
      ...(flags.hostName === undefined ? {} : { hostNames: flags.hostName }),
      allowPrivateFileUrls: flags.allowPrivateFileUrls === true || file?.options.allowPrivateFileUrls === true,
      ...(seed === undefined ? {} : { seed }),
      ...(data === undefined ? {} : { data }),
      ...(chaos === undefined ? {} : { chaos }),
    },
    ...(url === undefined || secret === undefined ? {} : { webhook: { name: 'default', url, secret } }),
  }
}

function readFile(command: Command, file: string | undefined): FileConfig | undefined {
  try {
    return file === undefined ? undefined : readConfigFile(file)
  } catch (error) {
    return command.error(`error: ${error instanceof Error ? error.message : 'the file is unusable'}`)
  }
}
