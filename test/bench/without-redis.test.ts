import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isInstalled } from '../support/needs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

let path: string
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'pawl-programs-'))
  // Programs that start and end a PostgreSQL; no redis-server.
  for (const program of ['id', 'pgrep']) {
    const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program))
    await symlink(found.find(existsSync) ?? program, join(path, program))
  }
})
afterAll(() => rm(path, { recursive: true }))

it.skipIf(!isInstalled('bench'))(
  'the benchmark without Redis says in one line each whom it leaves out, measures the others and exits 0',
  async () => {
    const args = ['--conditions=source', '--import', 'tsx', 'bench/main.ts', '--only', 'acknowledged', '--quick']
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env: { PATH: path } })
    const lines = stdout.split('\n')
    const why = 'Redis could not be started: install the system package redis-server.'
    expect(lines.filter((line) => line.includes('redis-server'))).toEqual([
      `left out: hand-written, NORMAL. ${why}`,
      `left out: hand-written, FULL. ${why}`,
      `left out: pawl, queue on Redis. ${why}`,
    ])
    const measured = lines.map((line) => /^(\S.*?)  +[\d,]+  /.exec(line)?.[1])
    expect(measured).toContain('pawl')
    expect(measured).toContain('Probot')
    expect(measured).not.toContain('pawl, queue on Redis')
    expect(stdout).toContain('pawl, at least 3.0 x hand-written, NORMAL (not measured)')
  },
)
