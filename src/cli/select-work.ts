import { type Command, Option } from 'commander'
import { z } from 'zod'
import { readLimit } from './read-limit.ts'

/** Which parked and failed work a command is about. */
export interface WorkNames {
  resource?: string
  handler?: string
  system?: string
  error?: string
  state?: string
}

export interface Selection extends WorkNames {
  all?: boolean
  dryRun?: boolean
}

/** One handler's work on one resource, as the admin API names it. */
export const PieceOfWork = z.object({ resourceId: z.string(), handler: z.string() })

/** Adds the options that every command about failed work has; without `states` it is about one state. */
function addNames(command: Command, states: readonly string[]): Command {
  const named = command
    .option('--resource <id>', 'only of this resource')
    .option('--handler <name>', 'only of this handler')
    .option('--system <name>', 'only what failed at this system; - for none that is known')
    .option('--error <code>', 'only what failed with this error')
  return states.length === 0
    ? named
    : named.addOption(new Option('--state <state>', 'only what stands so').choices(states))
}

/** Adds the options that select work to list. */
export function addListing(command: Command, { states, limit }: { states: readonly string[]; limit: number }): Command {
  return addNames(command, states).option('--limit <count>', 'so many at the most', readLimit, limit)
}

/** The same as the query of an address. */
export function queryOf({ limit, resource, handler, system, error, state }: WorkNames & { limit: number }): string {
  const given = Object.entries({ resource, handler, system, error, state }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] satisfies [string, string]],
  )
  return `?${new URLSearchParams([['limit', String(limit)], ...given]).toString()}`
}

/** Adds the options that select work to change, and `--dry-run`. */
export function addSelection(command: Command): Command {
  return addNames(command, ['parked', 'failing', 'waiting'])
    .addOption(new Option('--all', 'all of it').conflicts(['resource', 'handler', 'system', 'error', 'state']))
    .option('--dry-run', 'only tell which it would be')
}

/** The same as the admin API takes it; ends the command where nothing is selected. */
export function selectionOf({ all, dryRun, resource, handler, system, error, state }: Selection, command: Command) {
  const names = { resource_id: resource, handler, system, error, state }
  if (Object.values(names).every((each) => each === undefined) && all !== true)
    command.error('Say which: --resource, --handler, --system, --error, --state, or --all.')
  // What is undefined is not sent.
  return { ...names, ...(all && { all }), ...(dryRun && { dry_run: true }) }
}
