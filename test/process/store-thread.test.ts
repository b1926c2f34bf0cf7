import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findBehind, findUnstored, openLedgerRows, untilNothingIsDue } from '../support/ledger-rows.ts'
import { type PlayedService, startPlayedService } from '../support/played-service.ts'
import { type PawlProcesses, preparePawl } from '../support/pawl-processes.ts'
import { until } from '../support/until.ts'

const resources = 60
const withinMs = 30_000

/** Ends the thread that serves this of a ledger, and no other, as soon as the file is there. */
const preload = (flag: string, serves: string, death: string) => `
const { workerData } = require('node:worker_threads')
const { existsSync } = require('node:fs')
if (workerData?.serves === '${serves}')
  setInterval(() => { if (existsSync(${JSON.stringify(flag)})) ${death} }, 10).unref()
`

describe('the thread of the ledger', () => {
  let service: PlayedService
  let pawls: PawlProcesses

  beforeEach(async () => {
    service = await startPlayedService(() => [pawls.url])
    pawls = await preparePawl({
      API_BASE_URL: service.url,
      // Work that the thread leaves unfinished is neither parked nor waited for.
      RETRY_ATTEMPTS: '1000',
      LEASE_MS: '1500',
    })
  })
  afterEach(async () => {
    await pawls.close()
    await service.close()
  })

  it.each([
    ['throws', 'ledger', "throw new Error('a fault of the thread')"],
    ['that reads views exits unexpectedly', 'views', 'process.exit(0)'],
  ])(
    'ends the process when the thread %s, and the next process has every acknowledged delivery',
    async (_, serves, death) => {
      const flag = join(pawls.folder, 'flag')
      const script = join(pawls.folder, 'preload.cjs')
      await writeFile(script, preload(flag, serves, death))
      const pawl = await pawls.start({ NODE_OPTIONS: `--require "${script}"` })
      let changes = 0
      const load = setInterval(() => service.change(`pa_req_${changes++ % resources}`), 5)
      try {
        await until('much is acknowledged', () => service.acknowledged.size > resources * 2, withinMs)
        await writeFile(flag, '')
        expect(await pawl.exited).toBe(1)
        const ends = pawl
          .output()
          .split('\n')
          .filter((line) => line.includes('"uncaught exception"') && line.includes('"level":"error"'))
        expect(ends).toEqual([expect.stringContaining("The ledger's thread failed")])
        // Requests meanwhile were answered 503, or found no listener.
        expect([...service.answers.keys()].filter((status) => ![0, 200, 202, 503].includes(status))).toEqual([])

        await pawls.start()
      } finally {
        clearInterval(load)
      }
      await service.quiet()
      const ledger = await openLedgerRows(pawls.databaseUrl)
      try {
        await untilNothingIsDue(ledger, withinMs)
        expect(await findUnstored(ledger, service.acknowledged)).toEqual([])
        expect(await findBehind(ledger)).toEqual([])
        expect(await ledger.ask('select handler from work')).toEqual([])
      } finally {
        await ledger.close()
      }
    },
    150_000,
  )
})
