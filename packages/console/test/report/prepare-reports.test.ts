import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLedger } from '../../../ledger/src/create-ledger.ts'
import type { Ledger } from '../../../ledger/src/ledger.ts'
import { createSeal } from '../../../ledger/src/sealing/seal.ts'
import { openSqlite } from '../../../ledger/src/sqlite/open-sqlite.ts'
import { createPrepareReports } from '../../src/report/prepare-reports.ts'
import { until } from '../../../../test/support/until.ts'
import { live } from './journeys.ts'
import type { LagViews } from '../../../ledger/src/projections/lags.ts'
import type { OutcomeViews } from '../../../ledger/src/views/list-outcomes.ts'
import { atTime } from '../../../ledger/test/at-time.ts'

const start = Date.UTC(2026, 0, 5, 8)
const january = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 1, 1) }
const patient = { patienceMs: 60_000 }
const impatient = { patienceMs: 0 }

let folder: string
let ledger: Ledger
/** Readings that were begun, of which the ledger answers so many. */
let begun: number
let mayAnswer: number
let fault: Error | undefined

/** The ledger, whose answers come when they are let through. */
const slow: OutcomeViews & LagViews = {
  projectionLags: () => ledger.projectionLags(),
  async listOutcomes(filter, after) {
    if (after === undefined) begun += 1
    const number = begun
    await until('it may answer', () => Promise.resolve(number <= mayAnswer))
    if (fault !== undefined) throw fault
    return ledger.listOutcomes(filter, after)
  },
}

const reportsWith = (settings: { patienceMs: number; keepMs?: number }, stopping = new AbortController().signal) =>
  createPrepareReports({ ledger: slow, stopping, ...settings })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-reports-'))
  let now = start
  const storage = atTime(await openSqlite(join(folder, 'pawl.db'), Date), () => now)
  ledger = createLedger({ storage, seal: createSeal([]) })
  begun = 0
  mayAnswer = Number.MAX_SAFE_INTEGER
  fault = undefined
  for (const id of ['pa_req_1', 'pa_req_2'])
    await live({ ledger, start, setNow: (at) => (now = at) }, id, [[0, { status: 'created' }]])
  await ledger.catchUp()
})
afterEach(async () => {
  await ledger.close()
  await rm(folder, { recursive: true })
})

const twoResources = { report: { figures: { resources: 2 } } }

describe('a report for a page', () => {
  it('is there at once where it takes no time, and is computed anew for the next request', async () => {
    const { prepare } = reportsWith(patient)
    expect(await prepare('january', january, undefined)).toMatchObject(twoResources)
    expect(await prepare('january', january, undefined)).toMatchObject(twoResources)
    expect(begun).toBe(2)
  })

  it('blocks no request where it takes long: it comes later, and is kept for a reload', async () => {
    mayAnswer = 0
    const { prepare } = reportsWith(impatient)
    expect(await prepare('january', january, undefined)).toEqual({ counted: 0 })
    expect(await prepare('january', january, undefined)).toEqual({ counted: 0 })
    mayAnswer = 1
    await until('it is there', async () => 'report' in (await prepare('january', january, undefined)))
    expect(await prepare('january', january, undefined)).toMatchObject(twoResources)
    expect(begun).toBe(1)
  })

  it('is not kept beyond its time', async () => {
    mayAnswer = 0
    const { prepare } = reportsWith({ ...impatient, keepMs: 1 })
    await prepare('january', january, undefined)
    mayAnswer = Number.MAX_SAFE_INTEGER
    await until('it is computed a second time', async () => {
      await prepare('january', january, undefined)
      return begun === 2
    })
  })

  it('waits for those that were asked for before', async () => {
    mayAnswer = 0
    const { prepare } = reportsWith(impatient)
    for (const name of ['one', 'two', 'three']) await prepare(name, january, undefined)
    expect(begun).toBe(1)
    mayAnswer = 3
    await until('the last is there', async () => 'report' in (await prepare('three', january, undefined)))
    expect(begun).toBe(3)
  })

  it('that could not be read fails the next request, and is then tried anew', async () => {
    mayAnswer = 0
    const { prepare } = reportsWith(impatient)
    await prepare('january', january, undefined)
    fault = new Error('the ledger is away')
    mayAnswer = 1
    await expect(
      until('it failed', async () => 'report' in (await prepare('january', january, undefined))),
    ).rejects.toThrow('the ledger is away')
    fault = undefined
    mayAnswer = 2
    await until('it is there', async () => 'report' in (await prepare('january', january, undefined)))
  })

  it('is given up when the process stops', async () => {
    mayAnswer = 0
    const stopping = new AbortController()
    const { prepare } = reportsWith(impatient, stopping.signal)
    await prepare('january', january, undefined)
    stopping.abort()
    mayAnswer = 1
    await expect(
      until('it ended', async () => 'report' in (await prepare('january', january, undefined))),
    ).rejects.toThrow('aborted')
  })
})
