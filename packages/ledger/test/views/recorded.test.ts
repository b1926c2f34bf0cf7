import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDocuments } from '../../src/sealing/documents.ts'
import { openToRead } from '../../src/open-to-read.ts'
import { countResources, readRecorded, type RecordedResource } from '../../src/views/recorded.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import { describeOnPostgres } from '../../../../test/support/postgres.ts'
import { fillLedger, sealingKey } from '../filled-ledger.ts'

const documents = createDocuments(createSeal([sealingKey]))

function describeRecorded(name: string, newDatabase: () => Promise<string>) {
  describe(`the record in a ledger on ${name}`, () => {
    let url: string
    beforeEach(async () => {
      url = await newDatabase()
      await fillLedger(url)
    })

    it('is read in small steps, each resource once, with what its handlers left', async () => {
      const { db, close } = openToRead(url)
      const all: RecordedResource[] = []
      const steps: number[] = []
      while (steps.at(-1) !== 0) {
        const step = await readRecorded(db, { cursor: all.at(-1)?.id ?? '', handlers: ['chart'], documents })
        steps.push(step.length)
        all.push(...step)
      }
      expect(steps).toEqual([50, 50, 0])
      expect(await countResources(db)).toBe(100)
      await close()
      expect(new Set(all.map(({ id }) => id)).size).toBe(100)
      expect(all.filter(({ isClaimed }) => isClaimed).map(({ id }) => id)).toEqual(['pa_req_3'])
      const text = JSON.stringify({ id: 'pa_req_1', status: 'completed' })
      expect(all.find(({ id }) => id === 'pa_req_1')).toMatchObject({
        kind: 'prior_authorization',
        snapshot: { text },
        snapshotAt: expect.any(Number),
        handlers: [
          {
            handler: 'chart',
            state: 'synced',
            handledEventId: 2,
            baseline: { text },
            errorCode: undefined,
            writes: [{ system: 'ehr', type: 'Task', id: 'task-pa_req_1', version: '1' }],
            effects: new Map([['announced', { text: '{"channel":"team"}' }]]),
          },
        ],
        memory: [{ system: 'ehr', role: 'task', remembered: { id: '1', version: '2', digest: 'abc' } }],
      })
      const ids = all.flatMap(({ events }) => events.map(({ id }) => id))
      expect(ids.every((id) => typeof id === 'number')).toBe(true)
    })
  })
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-recorded-'))
})
afterEach(() => rm(folder, { recursive: true }))
describeRecorded('SQLite', async () => `file:${join(folder, 'pawl.db')}`)

describeOnPostgres('with PostgreSQL', (createLedgerDatabase) => {
  describeRecorded('PostgreSQL', createLedgerDatabase)
})
