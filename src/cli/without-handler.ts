import type { Status } from '../console/contract/status-contract.ts'
import { formatCount } from './output.ts'

/** One line about work of a removed handler, with the remedy. */
export function describeWithoutHandler({ handler, count }: Status['withoutHandler'][number]): string {
  return `${formatCount(count, 'resource')} of ${handler}: no handler of src/integration/index.ts has this name, so this work never runs`
}
