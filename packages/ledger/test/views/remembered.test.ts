import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openToRead } from '../../src/open-to-read.ts'
import {
  countResources,
  readRemembered,
  readRememberedOne,
  type RememberedResource,
} from '../../src/views/remembered.ts'
import { describeOnPostgres } from '../../../../test/support/postgres.ts'
import { fillLedger } from '../filled-ledger.ts'

function describeRemembered(name: string, newDatabase: () => Promise<string>) {
  describe(`the memory of systems in a ledger on ${name}`, () => {
    let url: string
    beforeEach(async () => {
      url = await newDatabase()
      await fillLedger(url)
    })

    it('is read in small steps, each resource once', async () => {
      const { db, close } = openToRead(url)
      const all: RememberedResource[] = []
      const steps: number[] = []
      while (steps.at(-1) !== 0) {
        const step = await readRemembered(db, all.at(-1)?.id ?? '')
        steps.push(step.length)
        all.push(...step)
      }
      expect(steps).toEqual([50, 50, 0])
      expect(await countResources(db)).toBe(100)
      expect(await readRememberedOne(db, 'pa_req_1')).toEqual(all.find(({ id }) => id === 'pa_req_1'))
      expect(await readRememberedOne(db, 'pa_req_none')).toBeUndefined()
      await close()
      expect(new Set(all.map(({ id }) => id)).size).toBe(100)
      expect(all.filter(({ isClaimed }) => isClaimed).map(({ id }) => id)).toEqual(['pa_req_3'])
      expect(all.find(({ id }) => id === 'pa_req_1')).toMatchObject({
        snapshotAt: expect.any(Number),
        memory: [{ system: 'ehr', role: 'task', remembered: { id: '1', version: '2', digest: 'abc' } }],
      })
    })
  })
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-remembered-'))
})
afterEach(() => rm(folder, { recursive: true }))
describeRemembered('SQLite', async () => `file:${join(folder, 'pawl.db')}`)

describeOnPostgres('with PostgreSQL', (createLedgerDatabase) => {
  describeRemembered('PostgreSQL', createLedgerDatabase)
})
