import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sourcesOfCheckout } from '../src/dev/dev-sources.ts'
import { createTypeCheck, readTypeErrors, type TypeCheck } from '../src/dev/type-check.ts'
import { until } from '../../../test/support/until.ts'

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))

let root: string
let types: TypeCheck
let said: string[]

beforeEach(async () => {
  root = `${await mkdtemp(join(tmpdir(), 'pawl-types-'))}/`
  await symlink(modules, join(root, 'node_modules'))
  const compilerOptions = { types: [], module: 'esnext', moduleResolution: 'bundler', allowImportingTsExtensions: true }
  await write('tsconfig.build.json', JSON.stringify({ compilerOptions, include: ['src', 'templates'] }))
  said = []
  types = createTypeCheck(sourcesOfCheckout(root), (text) => void said.push(text))
})
afterEach(async () => {
  types.cancel()
  await rm(root, { recursive: true })
})

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

it('the type check prints a line for each error in handlers only, and then that they are fixed', async () => {
  await write('src/integration/a.ts', `export const right = 1\nexport const wrong: number = 'x'\n`)
  await write('templates/b/handler.ts', `import { right } from '../../src/integration/a.ts'\n  right.there()\n`)
  await write('src/work/other.ts', `export const wrong: number = 'x'\n`)
  void types.start()
  await until('it tells', () => said.length > 0)
  const lines = said.join('').split('\n')
  expect(lines).toContain("src/integration/a.ts:2:14  Type 'string' is not assignable to type 'number'.")
  expect(lines).toContain("templates/b/handler.ts:2:9  Property 'there' does not exist on type '1'.")
  expect(said.join('')).not.toContain('other.ts')

  await write('src/integration/a.ts', `export const right = { there() {} }\n`)
  await write('src/work/other.ts', '')
  void types.start()
  await until('it tells', () => said.length > 1)
  expect(said.at(-1)).toBe('The types of the handlers are correct again.\n')
})

it('the type check prints nothing once cancelled or replaced', async () => {
  await write('src/integration/a.ts', `export const wrong: number = 'x'\n`)
  void types.start()
  types.cancel()
  void types.start()
  void types.start()
  await until('it tells', () => said.length > 0)
  await write('src/integration/a.ts', `export const wrong: number = 1\n`)
  void types.start()
  await until('it tells', () => said.length > 1)
  expect(said).toEqual([expect.stringContaining('a.ts:1:14'), 'The types of the handlers are correct again.\n'])
})

it('the type check prints ten errors and counts the rest', async () => {
  const many = Array.from({ length: 12 }, (_, at) => `export const wrong${at}: number = 'x'\n`).join('')
  await write('src/integration/a.ts', many)
  void types.start()
  await until('it tells', () => said.length > 0)
  const lines = said.join('').trimEnd().split('\n')
  expect(lines).toHaveLength(11)
  expect(lines.at(-1)).toBe('2 more: npx tsc --noEmit')
})

it('the type check reads the first line of each error in a handler, and skips tests', () => {
  const output = `src/integration/a.ts(1,2): error TS2322: One.
  Its details.
src/integration/a.test.ts(1,2): error TS2322: Two.
src/work/b.ts(1,2): error TS2322: Three.
templates/c/handler.ts(3,4): error TS2551: Four (with brackets).
error TS5023: Unknown compiler option 'x'.
`
  const errors = ['src/integration/a.ts:1:2  One.', 'templates/c/handler.ts:3:4  Four (with brackets).']
  expect(readTypeErrors(output, sourcesOfCheckout(''))).toEqual(errors)
  expect(readTypeErrors(output, { isCompiled: true })).toHaveLength(3)
})
