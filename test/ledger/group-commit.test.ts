import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createLedger } from '../../src/ledger/create-ledger.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import { createSeal } from '../../src/ledger/seal.ts'
import { openSqlite } from '../../src/ledger/sqlite.ts'
import { until } from '../support/until.ts'

/** A disk that syncs when told to. */
interface Disk {
  asked: number
  sync(): void
  fail(): void
}

describe('a ledger whose disk takes its time', () => {
  let folder: string
  let ledger: Ledger
  let disk: Disk
  let settled: string[]

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-ledger-'))
    const storage = await openSqlite(join(folder, 'pawl.db'), systemClock)
    const waiting: { resolve: () => void; reject: (error: Error) => void }[] = []
    disk = {
      asked: 0,
      sync: () => waiting.shift()?.resolve(),
      fail: () => waiting.shift()?.reject(new Error('EIO')),
    }
    settled = []
    const synced = () => {
      disk.asked += 1
      return new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))
    }
    ledger = createLedger({ storage: { ...storage, synced }, seal: createSeal([]) })
  })
  afterEach(async () => {
    await ledger.close()
    await rm(folder, { recursive: true })
  })

  function accept(name: string): void {
    const body = Buffer.from(JSON.stringify({ name }))
    const eventType = 'prior_authorization.status_change'
    void ledger
      .accept({
        resourceId: name,
        kind: 'prior_authorization',
        eventType,
        eventKey: undefined,
        body,
        source: 'webhook',
      })
      .then(
        () => settled.push(name),
        () => settled.push(`${name} failed`),
      )
  }
  const asked = (count: number) => until(`${count} syncs`, () => disk.asked === count)

  it('acknowledges nothing before the sync, and has all wait together that come meanwhile', async () => {
    accept('one')
    await asked(1)
    for (const name of ['two', 'three', 'four']) accept(name)
    expect(await ledger.counts()).toMatchObject({ events: 1 })
    expect([disk.asked, settled]).toEqual([1, []])
    disk.sync()
    await asked(2)
    expect(settled).toEqual(['one'])
    expect(await ledger.counts()).toMatchObject({ events: 4 })
    disk.sync()
    await until('all', () => settled.length === 4)
    expect(disk.asked).toBe(2)
  })

  it('fails what could not be synced', async () => {
    accept('one')
    await asked(1)
    disk.fail()
    await until('an end', () => settled.length === 1)
    expect(settled).toEqual(['one failed'])
  })
})
