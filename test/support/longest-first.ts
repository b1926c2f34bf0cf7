import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, by the end of their paths: what began late would leave the other workers idle. */
const longest = [
  // Project faults. The first is also the first that compiles a fork, which all others take over.
  'docs/fork.test.ts',
  'conformance/test/wrong.test.ts',
  'conformance/test/command.test.ts',
  'docs/forking.test.ts',
  'test/package.test.ts',
  'faults/outage.test.ts',
  'docs/first-handler.test.ts',
  'docs/new.test.ts',
  'charts/matrix.test.ts',
  'postgres/postgres.test.ts',
  // Project main.
  'test/sqlite/sqlite.test.ts',
  'work/dispatch.test.ts',
  'interface/wire.test.ts',
  'test/scenarios.test.ts',
  'test/disk.test.ts',
  'test/narrative-pdf.test.ts',
  'systems/breakers.test.ts',
  'docs/package-readmes.test.ts',
]

const placeOf = ({ moduleId }: TestSpecification) => {
  const place = longest.findIndex((end) => moduleId.endsWith(`/${end}`))
  return place === -1 ? longest.length : place
}

/** Runs one project after the other, as a worker keeps its modules while it stays with one. Of each, the longest files come first, then large and small ones by turns: most of the large compute, and many of the small wait. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // eslint-disable-next-line unicorn/no-array-sort -- it is the sequencer's, which returns a new array
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project.name))].toSorted()
    return projects.flatMap((name) => byLength(sorted.filter(({ project }) => project.name === name)))
  }
}

function byLength(files: TestSpecification[]): TestSpecification[] {
  const first = files.filter((file) => placeOf(file) < longest.length).toSorted((a, b) => placeOf(a) - placeOf(b))
  const others = files.filter((file) => !first.includes(file))
  return [...first, ...others.flatMap((_, at) => others.at(at % 2 === 0 ? at / 2 : -(at + 1) / 2) ?? [])]
}
