import { spawnSync } from 'node:child_process'
import { appendFileSync, copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { needs } from '../support/needs.ts'
import { mayMount, onSmallDisk } from '../support/small-disk.ts'
import type { PawlProcess } from '../support/spawn-pawl.ts'
import { until } from '../support/until.ts'
import { expectAftermath } from './expect-aftermath.ts'
import { readChart, readJournal } from './journal.ts'
import { startFaultWorld, type FaultWorld } from './fault-world.ts'

let world: FaultWorld
afterEach(() => world.close())

/** Takes all room that is left, to the last block. */
function fill(path: string): void {
  for (const size of [1_000_000, 4_096]) {
    try {
      for (;;) appendFileSync(path, Buffer.alloc(size))
    } catch {
      // Full.
    }
  }
}

/** The process's own report of its readiness. */
async function readyz(pawl: PawlProcess): Promise<{ due: number }> {
  const address = /"address":"([^"]+)","count":\d+,"msg":"pawl is running"/.exec(pawl.output())?.[1] ?? ''
  // As the console answers.
  return (await (await fetch(`${address}/readyz`)).json()) as { due: number }
}

const refusals = () => world.service.answers.get(503) ?? 0

describe.skipIf(!mayMount)('a ledger on SQLite whose disk is full', () => {
  it('answers 503, loses no acknowledged delivery, and recovers once space is free again', async () => {
    world = await startFaultWorld({ seed: 10 })
    const disk = join(world.folder, 'disk')
    mkdirSync(disk)
    const databaseUrl = `file:${join(disk, 'pawl.db')}`
    const pawl = await world.start('all', { env: { DATABASE_URL: databaseUrl }, under: onSmallDisk(disk) })
    // The disk is seen by its process only.
    const fromOutside = (path: string) => `/proc/${pawl.child.pid}/root${path}`
    await world.load({ resources: 40, forMs: 1_000 })
    const ballast = fromOutside(join(disk, 'ballast'))
    fill(ballast)
    await world.load({ resources: 40, forMs: 2_500 })
    await until('deliveries are refused', () => refusals() > 0)
    await pawl.prints(/SQLITE_FULL|disk_full/)
    expect(pawl.output()).not.toContain('SQLITE_ERROR')
    rmSync(ballast)
    await world.load({ resources: 40, forMs: 500 })
    await world.service.quiet()
    const isAllWritten = () =>
      isDeepStrictEqual(readChart(readJournal(world.journalPath)), new Map(world.service.statuses))
    await until('everything is written', isAllWritten)
    await until('nothing is due', async () => (await readyz(pawl)).due === 0)
    // SQLite cannot open what only another process sees.
    const copy = join(world.folder, 'copy.db')
    for (const suffix of ['', '-wal']) copyFileSync(fromOutside(join(disk, `pawl.db${suffix}`)), `${copy}${suffix}`)
    await expectAftermath({ ...world, databaseUrl: `file:${copy}` }, { withinMs: 0 })
    expect(await pawl.end('SIGTERM')).toBe(0)
  })
})

const prlimit = needs('prlimit', { package: 'util-linux' })

describe.skipIf(prlimit === undefined)('a ledger on SQLite whose file size is limited', () => {
  const limit = (pid: number | undefined, bytes: string) =>
    expect(spawnSync(prlimit ?? '', ['--pid', String(pid), `--fsize=${bytes}:`]).status).toBe(0)

  it('answers 503 for every failed commit, and recovers once the limit is removed', async () => {
    world = await startFaultWorld({ seed: 11 })
    const pawl = await world.start('all')
    await world.load({ resources: 40, forMs: 500 })
    await until('something is stored', () => pawl.output().includes('"status":"stored"'))
    // No file may reach beyond: neither the log of the ledger nor the ledger itself.
    limit(pawl.child.pid, '150000')
    const load = world.load({ resources: 40, forMs: 2_000 })
    await until('a commit fails', () => pawl.output().includes('delivery not stored'))
    await load
    await until('deliveries are refused', () => refusals() > 0)
    // One line a resource in work and second at most, however much is due.
    expect(pawl.output().match(/work interrupted/g)?.length ?? 0).toBeLessThan(200)
    limit(pawl.child.pid, 'unlimited')
    await expectAftermath(world)
  })
})
