import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { conformance } from './run-conformance.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conformance-command-'))
})
afterEach(() => rm(folder, { recursive: true }))

it.each([
  ['a rule that there is not', ['--only', 'beauty'], '--only takes one of survives-restart, '],
  ['a file that there is not', ['--replay', 'nowhere.json'], 'nowhere.json cannot be read.'],
  ['a seed that is no number', ['--seed', 'seven'], 'It is a whole number from 0 to '],
])('%s is refused with exit code 2', async (_, args, said) => {
  const { code, output } = await conformance(...args)
  expect({ code, output }).toMatchObject({ code: 2 })
  expect(output).toContain(said)
  expect(output).not.toContain('    at ')
})

it('a list written by hand is taken with the integration of this checkout', async () => {
  const file = join(folder, 'run.json')
  const steps = [{ do: 'create_pa', result: 'Approved', transfer: false }, { do: 'settle' }]
  await writeFile(file, JSON.stringify({ rule: 'in-sync', seed: 3, steps }))
  const { code, output } = await conformance('--replay', file)
  expect(output).toContain('Fixed: in-sync holds.')
  expect(code).toBe(0)
})

it('a file that is no list of steps is refused with exit code 2', async () => {
  const file = join(folder, 'run.json')
  await writeFile(file, JSON.stringify({ rule: 'in-sync', seed: 3, steps: [{ do: 'dance' }] }))
  const { code, output } = await conformance('--replay', file)
  expect({ code, output: output.includes('is not a saved run') }).toEqual({ code: 2, output: true })
})
