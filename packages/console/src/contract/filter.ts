import { z } from 'zod'

/** Means "at no system" in addresses and options. */
export const noSystem = '-'

/** The states of failed work. */
export const State = z.enum(['parked', 'failing', 'waiting'])

const Name = z.string().min(1).optional()

/** Selects failed work, for pages, routes and commands alike: all fields given must match. */
export const WorkFilter = z.object({
  resource: Name.describe('Only work on this resource.'),
  handler: Name.describe('Only work of this handler.'),
  system: Name.describe(`Only work that failed at this system; \`${noSystem}\` for no known system.`),
  error: Name.describe('Only work whose last failure has this code.'),
  state: State.optional(),
})
export type WorkFilter = z.infer<typeof WorkFilter>

/** A filter of work to be changed. */
export const Selected = z.strictObject({
  ...WorkFilter.shape,
  all: z.literal(true).optional().describe('All work; excludes the fields of the filter.'),
  dry_run: z.boolean().default(false).describe('Only count the selected work.'),
})

/** Whether it has a field of the filter, or `all`, so that an empty body never means everything. */
export function saysWhich({ all, ...fields }: z.infer<typeof Selected>): boolean {
  return (all === true) !== Object.keys(WorkFilter.shape).some((name) => Object.hasOwn(fields, name))
}
