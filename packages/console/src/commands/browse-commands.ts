import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { z } from 'zod'
import { contract } from '../contract/contract.ts'
import { type Event, EventState, ResourceState } from '../contract/resource-contract.ts'
import { Kind } from '../contract/story.ts'
import { statusOf } from '../contract/status-of.ts'
import type { AskAdmin } from './admin-client.ts'
import { formatTable, jsonOption, type Print, printJson } from './output.ts'
import { readLimit } from './read-number.ts'
import { readSince } from './read-since.ts'

/** Max requests of one command when few rows match. */
const maxLooks = 50
const tailEveryMs = 1_000

const eventsHelp = `
Prints one line for each event, the newest first: number, when it was received, type, resource, source (webhook, poll, api, cli), what became of it, later copies. Nothing of its body.

Exits with 0, events or none; 1 when no pawl answers; 2 for wrong options.`
const showHelp = `
Prints the event and the state of each handler. Nothing of its body.

Exits with 0; 1 when no pawl answers, or when there is no such event; 2 for wrong options.`
const tailHelp = `
Prints events as they arrive, one line each, until Ctrl-C; with --json one JSON object a line.

Exits with 0; 1 when no pawl answers; 2 for wrong options.`
const resourcesHelp = `
Prints one line for each resource, the newest first, with --state the oldest first: id, kind, when it was first seen, its status and how it ended, how many of its handlers fail, wait and are parked. The last line tells how to list more.

Exits with 0, resources or none; 1 when no pawl answers; 2 for wrong options.`

interface EventOptions {
  type?: string
  resource?: string
  state?: EventState
  since?: Date
  limit: number
  json?: boolean
}

interface ResourceOptions {
  kind?: z.infer<typeof Kind>
  state?: z.infer<typeof ResourceState>
  limit: number
  cursor?: string
  json?: boolean
}

interface BrowseDeps {
  ask: AskAdmin
  print: Print
}

/** Adds `events` and `resources`. */
export function addBrowseCommands(program: Command, { ask, print }: BrowseDeps): void {
  const events = program.command('events').description('list received events')
  events
    .command('list', { isDefault: true })
    .description('list events, the newest first')
    .option('--type <event_type>', 'only of this type')
    .option('--resource <id>', 'only of this resource')
    .addOption(new Option('--state <state>', 'only those of which this became').choices(EventState.options))
    .option('--since <when>', 'received since a date-time, or an age: 90m, 6h, 3d', readSince)
    .option('--limit <count>', 'max number to list', readLimit, 50)
    .option(...jsonOption)
    .addHelpText('after', eventsHelp)
    .action(async ({ json = false, ...options }: EventOptions) => {
      const found = await listEvents(ask, options)
      if (json) return printJson(print, { events: found })
      if (found.length === 0) print('No events.')
      for (const line of formatTable(found.map(describe))) print(line)
    })
  events
    .command('show')
    .description('show one event')
    .argument('<number>', 'its number', readEventId)
    .option(...jsonOption)
    .addHelpText('after', showHelp)
    .action(async (number: number, { json = false }: { json?: boolean }) => {
      const event = await ask(contract.event, { id: String(number) })
      if (json) return printJson(print, event)
      for (const line of formatTable([describe(event)])) print(line)
      for (const { handler, state } of event.handlers) print(`  ${handler}: ${state}`)
    })
  events
    .command('tail')
    .description('print events as they arrive')
    .option('--type <event_type>', 'only of this type')
    .option('--resource <id>', 'only of this resource')
    .option('--json', 'as one JSON object a line')
    .addHelpText('after', tailHelp)
    .action(async ({ json = false, ...filter }: EventOptions) => {
      const [newest] = (await ask(contract.events, { query: { limit: 1 } })).events
      for (let after = newest?.id ?? 0; ;) {
        const step = await ask(contract.events, { query: { ...queryOf(filter), limit: 1_000, after } })
        for (const event of step.events) print(json ? JSON.stringify(event) : describe(event).join('  '))
        after = step.cursor ?? step.events.at(-1)?.id ?? after
        if (step.cursor === undefined) await sleep(tailEveryMs)
      }
    })
  program
    .command('resources')
    .description('list the resources in the ledger')
    .command('list', { isDefault: true })
    .description('list resources, the newest first')
    .addOption(new Option('--kind <kind>', 'only of this kind').choices(Kind.options))
    .addOption(new Option('--state <state>', 'only with such work').choices(ResourceState.options))
    .option('--limit <count>', 'max number to list', readLimit, 50)
    .option('--cursor <cursor>', 'continue a list, as its last line tells')
    .option(...jsonOption)
    .addHelpText('after', resourcesHelp)
    .action(async (options: ResourceOptions) => {
      const answer = await listResources(ask, options)
      if (options.json === true) return printJson(print, answer)
      const rows = answer.resources.map(
        ({ id, kind, firstEventAt, terminal, failing, waiting, parked, ...progress }) => [
          id,
          kind,
          new Date(firstEventAt).toISOString(),
          statusOf(progress) ?? (terminal ? 'ended' : 'open'),
          `${failing} failing`,
          `${waiting} waiting`,
          `${parked} parked`,
        ],
      )
      if (rows.length === 0) print('No resources.')
      for (const line of formatTable(rows)) print(line)
      if (answer.cursor !== undefined) print(`… and more: --cursor ${answer.cursor}`)
    })
}

async function listEvents(ask: AskAdmin, { limit, ...filter }: Omit<EventOptions, 'json'>): Promise<Event[]> {
  const found: Event[] = []
  let before: number | undefined
  for (let looks = 0; looks < maxLooks && found.length < limit; looks += 1) {
    const query = { ...queryOf(filter), limit: limit - found.length, before }
    const { events, cursor } = await ask(contract.events, { query })
    found.push(...events)
    if (cursor === undefined) break
    before = cursor
  }
  return found
}

async function listResources(ask: AskAdmin, { kind, state, limit, cursor }: ResourceOptions) {
  const resources: z.infer<typeof contract.resources.answer>['resources'] = []
  let after = cursor
  for (let looks = 0; looks < maxLooks && resources.length < limit; looks += 1) {
    const query = { limit: limit - resources.length, kind, state, after }
    const step = await ask(contract.resources, { query })
    resources.push(...step.resources)
    after = step.cursor
    if (after === undefined) break
  }
  return { resources, ...(after !== undefined && { cursor: after }) }
}

function queryOf({ type, resource, state, since }: Omit<EventOptions, 'limit' | 'json'>) {
  return { type, resource, state, since: since?.toISOString() }
}

function describe({ id, receivedAt, type, resourceId = '-', source, state, repeats }: Event): string[] {
  const copies = repeats === 0 ? [] : [`${repeats} ${repeats === 1 ? 'copy' : 'copies'}`]
  return [String(id), new Date(receivedAt).toISOString(), type, resourceId, source, state, ...copies]
}

function readEventId(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new InvalidArgumentError('Give the number of an event, as "pawl events list" prints it.')
  return Number(text)
}
