import { type Command, Option } from 'commander'
import { z } from 'zod'

/** Which parked and failed work a command is about. */
export interface Selection {
  resource?: string
  handler?: string
  error?: string
  all?: boolean
  dryRun?: boolean
}

/** One handler's work on one resource, as the admin API names it. */
export const PieceOfWork = z.object({ resourceId: z.string(), handler: z.string() })

/** Adds the options that select work, and `--dry-run`. */
export function addSelection(command: Command): Command {
  return command
    .option('--resource <id>', 'only of this resource')
    .option('--handler <name>', 'only of this handler')
    .option('--error <code>', 'only what failed with this error')
    .addOption(new Option('--all', 'all of it').conflicts(['resource', 'handler', 'error']))
    .option('--dry-run', 'only tell which it would be')
}

/** The same as the admin API takes it; ends the command where nothing is selected. */
export function selectionOf({ resource, handler, error, all, dryRun }: Selection, command: Command) {
  if (resource === undefined && handler === undefined && error === undefined && all !== true)
    command.error('Say which: --resource, --handler, --error, or --all.')
  return {
    ...(resource !== undefined && { resource_id: resource }),
    ...(handler !== undefined && { handler }),
    ...(error !== undefined && { error }),
    ...(all && { all }),
    ...(dryRun && { dry_run: true }),
  }
}
