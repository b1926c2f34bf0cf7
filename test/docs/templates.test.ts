import { readdir } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { createForkTree, type ForkTree } from '../support/fork-tree.ts'
import { readExamples, readPage } from './readme-examples.ts'

const folder = new URL('../../templates/', import.meta.url)
const names = (await readdir(folder, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/handler.ts`, folder)))
  .map(({ name }) => name)
const integrations = new Map<string, Map<string, string>>()
for (const name of names) {
  const examples = await readExamples(`templates/${name}/README.md`)
  if (examples.has('src/integration/index.ts')) integrations.set(name, examples)
}

it('every template has a test, a README that says what to change, and a place in the list', async () => {
  const list = await readPage('templates/README.md')
  for (const name of names) {
    expect(existsSync(new URL(`${name}/handler.test.ts`, folder)), name).toBe(true)
    expect(await readPage(`templates/${name}/README.md`), name).toContain('\nWhat to change:\n')
    expect(list, name).toMatch(new RegExp(`^\\| (\\[)?\`${name}\``, 'm'))
  }
})

describe('the integration that the README of a template shows', () => {
  let fork: ForkTree | undefined
  afterEach(() => fork?.destroy())

  it('is shown by those that need a system', () => {
    expect([...integrations.keys()].toSorted()).toEqual(['notice-by-email', 'report-rows-to-sql'])
  })

  it.each([...integrations])('fits its types and lists its settings: %s', async (name, examples) => {
    fork = await createForkTree(examples)
    await fork.compile()
    await fork.run('prettier', ['--check', 'src/integration/index.ts'])
    await fork.run('vitest', ['run', 'test/settings/config.test.ts', `templates/${name}`])
    const printed = await fork.run('tsx', ['--conditions=source', 'src/cli/pawl.ts', 'handlers'])
    expect(printed).toMatch(new RegExp(`^${name} `, 'm'))
  })
})
