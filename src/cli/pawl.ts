import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { ConfigInvalid, readAdminAddress, readConfig } from '../config.ts'
import integration from '../integration/index.ts'
import { PawlError } from '../errors.ts'
import { readResourceName, resourceNameForm } from '../events/resource-name.ts'
import { askAdmin } from './admin-client.ts'
import { endCommand } from './end-command.ts'
import { checkSystems } from './check-systems.ts'
import { addLedgerCommand } from './ledger-copy.ts'

const Away = z.object({
  system: z.string(),
  forMs: z.number().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  leftAloneMs: z.number().optional(),
})
const Status = z.looseObject({
  events: z.number(),
  unhandled: z.number(),
  resources: z.number(),
  due: z.number(),
  parked: z.number(),
  toPoll: z.number(),
  away: z.array(Away),
})
const Parked = z.object({
  parked: z.array(
    z.looseObject({
      resourceId: z.string(),
      handler: z.string(),
      attempts: z.number(),
      errorCode: z.string(),
      errorMessage: z.string(),
    }),
  ),
  count: z.number(),
})
const Reconciled = z.object({ resources: z.number() })
const Retried = z.object({ retried: z.array(z.string()) })

// The reader of a pipe, such as head, may have seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})
const print = (line: string) => process.stdout.write(`${line}\n`)
const ask = <T extends z.ZodType>(path: string, schema: T, body?: unknown) =>
  askAdmin(readAdminAddress(process.env), path, schema, body)

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Such as "90 s", "12 min", "3 h". */
function inWords(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`
}

function describeAway({ forMs, error, leftAloneMs }: z.infer<typeof Away>): string {
  if (forMs === undefined) return `away, as another process found; left alone for another ${inWords(leftAloneMs ?? 0)}`
  return `away for ${inWords(forMs)}, its work waits${error === undefined ? '' : `; ${error.code}: ${error.message}`}`
}

const program = new Command('pawl')
  .description('Looks after a running pawl through its admin listener (ADMIN_HOST, ADMIN_PORT, ADMIN_PASSWORD).')
  .showHelpAfterError()
  .exitOverride(endCommand)

program
  .command('status')
  .description('how many events, resources, due and parked there are, and which systems are away')
  .action(async () => {
    const status = await ask('/readyz', Status)
    for (const name of ['events', 'unhandled', 'resources', 'due', 'parked', 'toPoll'] as const) {
      print(`${(name === 'toPoll' ? 'to poll' : name).padEnd(10)} ${status[name]}`)
    }
    for (const each of status.away) print(`${each.system.padEnd(10)} ${describeAway(each)}`)
  })

program
  .command('parked')
  .description('list parked work with its errors')
  .action(async () => {
    const { parked, count } = await ask('/api/parked', Parked)
    if (parked.length === 0) print('Nothing is parked.')
    for (const { resourceId, handler, attempts, errorCode, errorMessage } of parked) {
      print(`${resourceId}  ${handler}  after ${counted(attempts, 'attempt')}  ${errorCode}: ${errorMessage}`)
    }
    if (count > parked.length) print(`… and ${count - parked.length} more: retry some of these to see others.`)
  })

program
  .command('retry')
  .alias('release')
  .description('make parked work due again, of one resource, of one handler, or all of it')
  .option('--resource <id>', 'only of this resource')
  .option('--handler <name>', 'only of this handler')
  .addOption(new Option('--all', 'all parked work').conflicts(['resource', 'handler']))
  .action(
    async ({ resource, handler, all }: { resource?: string; handler?: string; all?: boolean }, command: Command) => {
      if (resource === undefined && handler === undefined && all !== true) {
        command.error('Say which: --resource, --handler, or --all.')
      }
      const filter = { ...(resource && { resource_id: resource }), ...(handler && { handler }), ...(all && { all }) }
      const { retried } = await ask('/api/parked/retry', Retried, filter)
      print(`Due again: ${counted(retried.length, 'resource')}.`)
    },
  )

program
  .command('reconcile')
  .description('ask the service how things stand: after an outage, or for resources that pawl may not know')
  .option(
    '--since <when>',
    'all that may have changed unheard since a date-time, or since so long ago: 90m, 6h, 3d',
    readSince,
  )
  .option('--resource <id>', `this one, known or not, as often as needed: ${resourceNameForm}`, addResource)
  .option('--no-wait', 'with --since: do not stay until all is looked at')
  .action(async ({ since, resource, wait }: { since?: Date; resource?: string[]; wait: boolean }, command: Command) => {
    if ((since === undefined) === (resource === undefined)) command.error('Say which: --since, or --resource.')
    if (resource !== undefined) {
      const { resources } = await ask('/api/reconcile', Reconciled, { resources: resource })
      print(`${counted(resources, 'resource')} will be looked at by the next worker.`)
      return
    }
    const { resources } = await ask('/api/reconcile', Reconciled, { since: since?.toISOString() })
    print(`${counted(resources, 'resource')} will be looked at, in the background and inside the rate limits.`)
    for (let left = wait ? resources : 0; left > 0;) {
      await sleep(1_000)
      left = (await ask('/readyz', Status)).toPoll
      print(`${Math.max(resources - left, 0)} of ${resources} looked at`)
    }
  })

program
  .command('check')
  .description('ask every system of the integration whether address and credentials will do, before the first patient')
  .action(async () => {
    const { settings } = readConfig(process.env, integration.settings)
    // readConfig parsed them by the integration's own schemas.
    const isFine = await checkSystems(integration.systems({ settings: settings as never }), print)
    if (!isFine) process.exitCode = 1
  })

addLedgerCommand(program, print)

/** A moment in the past. */
function readSince(text: string): Date {
  const ago = /^(\d{1,6})([mhd])$/.exec(text)
  const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 }[ago?.[2] ?? ''] ?? 0
  const since = ago === null ? new Date(text) : new Date(Date.now() - Number(ago[1]) * unitMs)
  if (Number.isNaN(since.getTime()) || since.getTime() > Date.now()) {
    throw new InvalidArgumentError(
      'Give a date-time such as 2026-01-31T08:00:00Z, or how long ago, such as 90m, 6h, 3d.',
    )
  }
  return since
}

function addResource(name: string, others: string[] = []): string[] {
  if (readResourceName(name) === undefined) throw new InvalidArgumentError(`It is ${resourceNameForm}.`)
  return [...others, name]
}

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof PawlError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = error instanceof ConfigInvalid ? 2 : 1
}
