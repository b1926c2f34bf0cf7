import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { integrationFile } from '../src/integration-file.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'integration-file-'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ pawl: { integration: 'dist/integration.js' } }))
})
afterEach(() => rm(folder, { recursive: true }))

it("messages name the source of a project's integration, also from a folder below it", async () => {
  await mkdir(join(folder, 'src'))
  await writeFile(join(folder, 'src/integration.ts'), '')
  expect(integrationFile(folder)).toBe('src/integration.ts')
  expect(integrationFile(join(folder, 'src'))).toBe('../src/integration.ts')
})

it('they name the built file where its source is elsewhere', () => {
  expect(integrationFile(folder)).toBe('dist/integration.js')
})

it('they name the file of a checkout where no project names one', async () => {
  await writeFile(join(folder, 'package.json'), '{}')
  expect(integrationFile(folder)).toBe('src/integration/index.ts')
})

it('a package.json that is no JSON is named', async () => {
  await writeFile(join(folder, 'package.json'), '{')
  expect(() => integrationFile(folder)).toThrow(`${join(folder, 'package.json')} cannot be read as JSON: correct it.`)
})
