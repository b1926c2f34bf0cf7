import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)
// The client's is typed by test/package-client.test.ts, in a project that has its package.
const packages = readdirSync(join(root, 'packages')).filter((name) => name !== 'client')

it.each(packages)('the example of packages/%s prints what its README says', async (name) => {
  const folder = join(root, 'packages', name)
  const page = readFileSync(join(folder, 'README.md'), 'utf8')
  const [, code = '', printed] = /```ts\n([^]*?)```\n\n```text\n([^]*?)```/.exec(page) ?? []
  const args = ['--conditions=source', '--import', 'tsx', '--input-type=module', '--eval', code]
  const { stdout } = await execute(process.execPath, args, { cwd: folder })
  expect(stdout).toBe(printed)
})

it.each([...packages, 'client'])('the README of packages/%s fits one screen', (name) => {
  const lines = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8').split('\n')
  expect(lines.length).toBeLessThan(60)
})

it('the README has 1,200 words at the most', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8').split(/\s+/).length).toBeLessThanOrEqual(1_200)
})
