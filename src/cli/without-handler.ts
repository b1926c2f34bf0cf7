import type { Status } from '../console/contract/status-contract.ts'
import { formatCount } from './output.ts'

/** One line on work of a handler that there is no more, with what to do. */
export function describeWithoutHandler({ handler, count }: Status['withoutHandler'][number]): string {
  return `${formatCount(count, 'resource')} of ${handler}: no handler of src/integration/index.ts has this name, so nobody works on it`
}
