import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
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

it('the benchmark says that Redis is missing, and exits 1', async () => {
  const args = ['--conditions=source', '--import', 'tsx', 'bench/main.ts', '--only', 'latency', '--quick']
  // No program is found in an empty folder.
  const { code, output } = await run(process.execPath, args, { cwd: root, env: { PATH: folder } })
  expect(code).toBe(1)
  expect(output).toMatch(/^Redis could not be started: install the system package redis-server, /m)
  expect(output).not.toContain('    at ')
})
