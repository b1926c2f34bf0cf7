import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runScript } from '../../../../test/support/run-script.ts'

it('processes that start and exit concurrently never take a live one for dead, and leave no file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-presence-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const come = () => runScript('packages/ledger/test/sqlite/presence-main.ts', [join(folder, 'pawl.db'), '400'])
  const ran = await Promise.all([come(), come(), come()])
  const seen = ran.map(({ code, out, output }) => {
    expect(code, output).toBe(0)
    // As the script prints it.
    return JSON.parse(out) as Record<'present' | 'taken', string[]>
  })
  const taken = new Set(seen.flatMap((each) => each.taken))
  expect(seen.flatMap(({ present }) => present).filter((name) => taken.has(name))).toEqual([])
  expect(await readdir(folder)).toEqual([])
})
