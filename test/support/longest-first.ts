import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, by the end of their paths: what began late would leave the other workers idle. */
const longest = [
  // Project main.
  'ledger/postgres/postgres.test.ts',
  'receive/verify.test.ts',
  'ledger/audit/audit-forgery.test.ts',
  'ledger/sqlite/sqlite.test.ts',
  'work/dispatch.test.ts',
  'ledger/views/waits-and-drift.test.ts',
  'sandbox/attachments.test.ts',
  'sandbox/scenarios.test.ts',
  'console/report.test.ts',
  // Project faults.
  'docs/operating.test.ts',
  'docs/typed-pages.test.ts',
]

const placeOf = ({ moduleId }: TestSpecification) => {
  const place = longest.findIndex((end) => moduleId.endsWith(`/${end}`))
  return place === -1 ? longest.length : place
}

/** Starts the longest files first, and the others as Vitest would. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // eslint-disable-next-line unicorn/no-array-sort -- it is the sequencer's, which returns a new array
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
