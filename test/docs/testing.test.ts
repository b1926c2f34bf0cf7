import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createForkTree, type ForkTree } from '../support/fork-tree.ts'
import { readExamples } from './readme-examples.ts'

describe('the examples of docs/testing.md, beside the handlers of a fork', () => {
  let examples: Map<string, string>
  let fork: ForkTree

  beforeAll(async () => {
    examples = await readExamples('docs/testing.md')
    fork = await createForkTree(examples)
  })
  afterAll(() => fork.destroy())

  it('are all there', () => {
    expect([...examples.keys()]).toEqual([
      'src/integration/answer-denials.ts',
      'src/integration/answer-denials.test.ts',
      'src/integration/answer-denials.gateway.test.ts',
    ])
  })

  it('pass the checks of the project: types, lint, rooms, format', async () => {
    await fork.compile()
    await fork.run('oxlint', ['--type-aware', '--deny-warnings', 'src/integration'])
    await fork.run('depcruise', ['src', 'packages', 'templates', '--config', '.dependency-cruiser.mjs'])
    await fork.run('prettier', ['--check', ...examples.keys()])
  })

  it('are found and passed as the document says', async () => {
    const printed = await fork.run('vitest', ['run', 'src/integration', '--reporter', 'json'])
    // As Vitest writes it.
    const { numPassedTests, numTotalTests } = JSON.parse(printed) as { numPassedTests: number; numTotalTests: number }
    expect([numPassedTests, numTotalTests]).toEqual([7, 7])
  })
})
