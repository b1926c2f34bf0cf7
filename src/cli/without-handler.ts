import { z } from 'zod'
import { formatCount } from './output.ts'

/** Work of a handler that there is no more, as the admin API tells of it. */
export const WithoutHandler = z.object({ handler: z.string(), count: z.number() })

/** One line of it, with what to do. */
export function describeWithoutHandler({ handler, count }: z.infer<typeof WithoutHandler>): string {
  return `${formatCount(count, 'resource')} of ${handler}: no handler of src/integration/index.ts has this name, so nobody works on it`
}
