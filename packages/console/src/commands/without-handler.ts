import type { Status } from '../contract/status-contract.ts'
import { integrationFile } from '@pawl/base/integration-file'
import { formatCount } from './output.ts'

/** One line about work of a removed handler, with the remedy. */
export function describeWithoutHandler({ handler, count }: Status['withoutHandler'][number]): string {
  return `${formatCount(count, 'resource')} of ${handler}: no handler of ${integrationFile()} has this name, so this work never runs`
}
