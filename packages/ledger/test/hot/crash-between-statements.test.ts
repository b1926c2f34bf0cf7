import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KyselyPlugin } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createLedger } from '../../src/create-ledger.ts'
import type { Claim } from '../../src/hot/claim.ts'
import type { Ledger } from '../../src/ledger.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import type { Storage } from '../../src/storage.ts'
import { describeOnPostgres } from '../../../../test/support/postgres.ts'
import { commits } from '../commits.ts'
import { dumpLedger, execute } from '../filled-ledger.ts'

/** A ledger that calls `between` after each statement, before the next one. */
function openWatched(storage: Storage, between: () => Promise<void>): Ledger {
  const watch: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await between()
      return result
    },
  }
  return createLedger({ storage: { ...storage, db: storage.db.withPlugin(watch) }, seal: createSeal([]) })
}

// Statements of a commit; fewer would mean that the watch sees none of them.
const least = 3

describe('a process killed between two statements of a commit, on SQLite', () => {
  it('leaves the file as it was before the commit, wherever it was killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pawl-crash-'))
    const path = join(folder, 'pawl.db')
    let images = 0
    /** What a kill at this moment leaves behind: nothing of a process but its files. */
    const keepImage = async () => {
      images += 1
      for (const suffix of ['', '-wal']) await copyFile(`${path}${suffix}`, join(folder, `image-${images}.db${suffix}`))
    }
    let isKept = false
    const ledger = openWatched(await openSqlite(path, Date), () => (isKept ? keepImage() : Promise.resolve()))
    await ledger.digestKey()
    let claim = {} as Claim
    for (const [name, commit] of Object.entries(commits)) {
      const before = await dumpLedger(`file:${path}`)
      images = 0
      isKept = true
      claim = (await commit(ledger, claim)) ?? claim
      isKept = false
      expect([name, images >= least]).toEqual([name, true])
      for (let n = 1; n <= images; n += 1)
        expect([name, n, await dumpLedger(`file:${join(folder, `image-${n}.db`)}`)]).toEqual([name, n, before])
      expect([name, await dumpLedger(`file:${path}`)]).not.toEqual([name, before])
    }
    await ledger.close()
    await rm(folder, { recursive: true })
  })
})

describeOnPostgres('a connection cut between two statements of a commit, on PostgreSQL', (createLedgerDatabase) => {
  it('leaves the tables as they were before the commit, wherever it was cut', async () => {
    const url = await createLedgerDatabase()
    let statements = 0
    let cutAt = 0
    const cut = async () => {
      statements += 1
      if (cutAt === 0 || statements < cutAt) return
      await execute(
        url,
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pawl' and xact_start is not null",
      )
      throw new TypeError('The process is gone.')
    }
    const ledger = openWatched(await openPostgres(url, () => {}), cut)
    await ledger.digestKey()
    let claim = {} as Claim
    for (const [name, commit] of Object.entries(commits)) {
      const before = await dumpLedger(url)
      let isCut = true
      for (cutAt = 1; isCut; cutAt += 1) {
        statements = 0
        const held = claim
        isCut = await commit(ledger, held).then(
          (result) => {
            claim = result ?? held
            return false
          },
          () => true,
        )
        if (isCut) expect([name, cutAt, await dumpLedger(url)]).toEqual([name, cutAt, before])
      }
      expect([name, cutAt > least]).toEqual([name, true])
      expect([name, await dumpLedger(url)]).not.toEqual([name, before])
      cutAt = 0
    }
    await ledger.close()
  })
})
