import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findMissing, readWalk } from '../../../test/docs/walked-page.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conformance-command-'))
})
afterEach(() => rm(folder, { recursive: true }))

function conformance(...args: string[]): Promise<{ code: unknown; output: string }> {
  const all = ['--conditions=source', '--import', 'tsx', 'src/cli/pawl.ts', 'conformance', ...args]
  return new Promise((resolve) => {
    execFile(process.execPath, all, { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
}

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
  await writeFile(file, JSON.stringify({ rule: 'in-step', seed: 3, steps }))
  const { code, output } = await conformance('--replay', file)
  expect(output).toContain('Fixed: in-step holds.')
  expect(code).toBe(0)
})

/** What a page shows of a conformance run. */
const shownOf = (page: string) =>
  readWalk(readFileSync(join(root, page), 'utf8'))
    .flatMap(({ blocks }) => blocks)
    .find(({ kind, text }) => kind === 'text' && text.includes('every rule holds'))?.text ?? 'none'

it('a run without any time goes through the lists that each run has, prints what the page about the first handler shows, and says that a handler was edited meanwhile', async () => {
  const handler = join(root, 'templates/benefit-verification-to-ehr/handler.ts')
  const { atime, mtime } = await stat(handler)
  await utimes(handler, atime, new Date(Date.now() + 3_600_000))
  try {
    const { code, output } = await conformance('--minutes', '0', '--seed', '1')
    expect(findMissing(shownOf('docs/first-handler.md'), output), output).toBeUndefined()
    expect(output).toContain('The integration was edited during the run')
    expect(code).toBe(0)
  } finally {
    await utimes(handler, atime, mtime)
  }
})

it('a file that is no list of steps is refused with exit code 2', async () => {
  const file = join(folder, 'run.json')
  await writeFile(file, JSON.stringify({ rule: 'in-step', seed: 3, steps: [{ do: 'dance' }] }))
  const { code, output } = await conformance('--replay', file)
  expect({ code, output: output.includes('is not a saved run') }).toEqual({ code: 2, output: true })
})
