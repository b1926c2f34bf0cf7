import { type Command, Option } from 'commander'
import type { z } from 'zod'
import type { contract } from '../contract/contract.ts'
import { State, type WorkFilter } from '../contract/filter.ts'
import { readLimit } from './read-number.ts'

/** Selects the failed work that a command lists. */
export type Listed = z.input<typeof contract.due.query>

/** Selects the failed work that a command changes. */
export interface Selection extends WorkFilter {
  all?: boolean
  dryRun?: boolean
}

/** Adds the options of all commands about failed work; without `states`, the command covers one state. */
function addNames(command: Command, states: readonly string[]): Command {
  const named = command
    .option('--resource <id>', 'only of this resource')
    .option('--handler <name>', 'only of this handler')
    .option('--system <name>', 'only failures of this system; - for no known system')
    .option('--error <code>', 'only failures with this error')
  return states.length === 0
    ? named
    : named.addOption(new Option('--state <state>', 'only in this state').choices(states))
}

/** Adds the options that select work to list. */
export function addListing(command: Command, { states, limit }: { states: readonly string[]; limit: number }): Command {
  return addNames(command, states).option('--limit <count>', 'max number to list', readLimit, limit)
}

/** Adds the options that select work to change, and `--dry-run`. */
export function addSelection(command: Command): Command {
  return addNames(command, State.options)
    .addOption(new Option('--all', 'all of it').conflicts(['resource', 'handler', 'system', 'error', 'state']))
    .option('--dry-run', 'only count what would be selected')
}

/** The selection as the admin API takes it; exits if it is empty. */
export function selectionOf({ all, dryRun, resource, handler, system, error, state }: Selection, command: Command) {
  const names = { resource, handler, system, error, state }
  if (Object.values(names).every((each) => each === undefined) && all !== true)
    command.error('Say which: --resource, --handler, --system, --error, --state, or --all.')
  // Undefined fields are not sent.
  return { ...names, ...(all && { all: true as const }), ...(dryRun && { dry_run: true }) }
}
