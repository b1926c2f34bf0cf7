import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-scripts-'))
})
afterEach(() => rm(folder, { recursive: true }))

function run(program: string, args: readonly string[], options: { cwd: string; env?: NodeJS.ProcessEnv }) {
  return new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
}

it('npm start says that a build is missing, and exits 1', async () => {
  await cp(join(root, 'package.json'), join(folder, 'package.json'))
  const { code, output } = await run('npm', ['start'], { cwd: folder })
  expect(code).toBe(1)
  expect(output).toContain('There is no build yet: npm run build makes it.')
  expect(output).not.toContain('    at ')
})

it('the benchmark says that a scenario cannot run without Redis, and exits 1 where it was asked for no other', async () => {
  const args = ['--conditions=source', '--import', 'tsx', 'bench/main.ts', '--only', 'large-postgres', '--quick']
  // No program is found in an empty folder.
  const { code, output } = await run(process.execPath, args, { cwd: root, env: { PATH: folder } })
  expect(code).toBe(1)
  expect(output).toContain(
    'left out: large-postgres. Redis could not be started: install the system package redis-server.\n',
  )
  expect(output).not.toContain('    at ')
})

it('npm run dev hands its arguments on, and explains itself', async () => {
  const { code, output } = await run('npm', ['run', 'dev', '--', '--help'], { cwd: root })
  expect(code).toBe(0)
  expect(output).toContain('Usage: npm run dev --')
})

it('npm run dev:gateway runs pawl alone: it asks for the settings that it lacks, and takes those of .env', async () => {
  await cp(join(root, 'package.json'), join(folder, 'package.json'))
  for (const part of ['src', 'packages', 'templates', 'node_modules'])
    await symlink(join(root, part), join(folder, part))
  const { PATH = '', HOME = '' } = process.env
  await writeFile(join(folder, '.env'), 'REST_MS=nonsense\n')
  const { output } = await run('npm', ['run', 'dev:gateway'], { cwd: folder, env: { PATH, HOME } })
  expect(output).toContain('WEBHOOK_SECRETS: is missing')
  expect(output).toContain('REST_MS: must be a number')
})
