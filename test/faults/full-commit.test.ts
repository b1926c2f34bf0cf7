import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { commits } from '../../packages/ledger/test/commits.ts'
import { argumentsFor } from '../support/run-script.ts'
import { mayMount, onSmallDisk } from '../support/small-disk.ts'

describe.skipIf(!mayMount)('a commit of a ledger on SQLite whose disk is full', () => {
  it('leaves nothing behind, at whichever page it finds no room, and is whole once there is room', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pawl-full-'))
    const disk = join(folder, 'disk')
    await mkdir(disk)
    const [command = '', ...args] = onSmallDisk(disk)
    const script = argumentsFor('test/faults/fill-disk-main.ts')
    const { stdout } = await promisify(execFile)(command, [...args, process.execPath, ...script, disk])
    await rm(folder, { recursive: true })
    // The script's own.
    const refusals = JSON.parse(stdout) as Record<string, number>
    expect(Object.keys(refusals)).toEqual(Object.keys(commits))
    for (const [name, count] of Object.entries(refusals)) expect([name, count > 0]).toEqual([name, true])
    // Inside a commit of several pages, not only at its first.
    expect(Math.max(...Object.values(refusals))).toBeGreaterThan(3)
  })
})
