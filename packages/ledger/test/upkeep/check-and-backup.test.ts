import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { backUpLedger } from '../../src/upkeep/back-up-ledger.ts'
import { checkLedger } from '../../src/upkeep/check-ledger.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../../../../test/support/postgres.ts'
import { runPawl } from '../../../../test/support/run-script.ts'
import { dumpLedger, execute, fillLedger, openLedger, sealingKey } from '../filled-ledger.ts'

const sealingKeys = [sealingKey]
const env = { PATH: process.env.PATH }
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-backup-'))
})
afterEach(() => rm(folder, { recursive: true }))

const newFile = () => Promise.resolve(`file:${join(folder, 'pawl.db')}`)

/** Looking at a whole ledger, on any kind of storage. */
function describeCheck(create: () => Promise<string>) {
  let url: string
  beforeEach(async () => {
    url = await create()
    await fillLedger(url, { hasTrail: true })
  })

  it('finds no fault in a ledger that pawl has open', async () => {
    const ledger = await openLedger(url)
    const seen: number[] = []
    const report = await checkLedger(url, { sealingKeys, onProgress: ({ done }) => seen.push(done) })
    await ledger.close()
    expect(report).toMatchObject({ resources: 100, faults: [], faultCount: 0 })
    expect(Object.values(report.keys)).toEqual([expect.any(Number)])
    expect(seen.at(-1)).toBe(100)
  })

  it('names values that were altered, moved, or sealed with another key', async () => {
    await execute(
      url,
      "update states set snapshot = (select snapshot from states where resource = (select number from resources where id = 'pa_req_2')) where resource = (select number from resources where id = 'pa_req_1')",
    )
    await execute(
      url,
      "update effects set value = (select snapshot from states where resource = (select number from resources where id = 'pa_req_3')) where resource = (select number from resources where id = 'pa_req_3')",
    )
    const { faults } = await checkLedger(url, { sealingKeys })
    expect(faults.map(({ where }) => where)).toEqual([
      '["snapshot","pa_req_1"]',
      expect.stringContaining('["effect","pa_req_3"'),
    ])
    const { faultCount, keys } = await checkLedger(url, { sealingKeys: [Buffer.alloc(32, 8)] })
    // Each value, the key of digests, and the head of the audit trail.
    expect(faultCount).toBe((Object.values(keys)[0] ?? 0) + 2)
  })

  it('names every body after the key of digests was replaced', async () => {
    const before = await dumpLedger(url)
    await execute(url, 'delete from digest_key')
    const ledger = await openLedger(url)
    await ledger.digestKey()
    await ledger.close()
    const { faultCount, faults } = await checkLedger(url, { sealingKeys })
    expect(faultCount).toBe(before.events?.length)
    expect(faults[0]).toEqual({
      where: expect.stringContaining('["body"'),
      says: expect.stringContaining('the key of digests'),
    })
  })

  it('names work that would never run again, and the remedy', async () => {
    await execute(
      url,
      "update work set state = 'due' where resource = (select number from resources where id = 'pa_req_2') and handler = 'desk'",
    )
    await execute(url, "update resources set due_at = null, claim_owner = null where id = 'pa_req_2'")
    const { faults } = await checkLedger(url, { sealingKeys })
    expect(faults).toEqual([{ where: 'pa_req_2', says: expect.stringContaining('pawl sync pa_req_2') }])
  })

  it('names an altered row of the audit trail', async () => {
    const ledger = await openLedger(url)
    await ledger.audit({ actor: { name: 'sam', via: 'admin' }, action: 'resource.view' })
    await ledger.close()
    await execute(url, "update audit set actor = 'somebody else' where id = 2")
    const { faults, auditRows } = await checkLedger(url, { sealingKeys })
    expect(auditRows).toBe(2)
    expect(faults).toMatchObject([{ where: 'audit row 2', says: 'it was changed' }])
  })
}

describe('a check of a ledger on SQLite', () => {
  describeCheck(newFile)
})

describe('the check and the backup of a file', () => {
  it('are run by the command line, which exits 1 on a fault', async () => {
    const url = await newFile()
    await fillLedger(url, { hasTrail: true })
    const run = async (...args: string[]) => {
      const { code, out, output } = await runPawl(['ledger', ...args], {
        DATABASE_URL: url,
        SEALING_KEYS: sealingKey.toString('base64'),
      })
      return { code, output: code === 0 ? out : output }
    }
    expect(await run('check')).toMatchObject({ code: 0, output: expect.stringContaining('All is well.') })
    const to = join(folder, 'backup.db')
    expect(await run('backup', '--to', to)).toMatchObject({
      code: 0,
      output: expect.stringContaining(`${to} is there`),
    })
    expect(await run('backup', '--to', to)).toMatchObject({
      code: 1,
      output: expect.stringContaining('name another file'),
    })
    await execute(
      url,
      "update states set snapshot = x'00' where resource = (select number from resources where id = 'pa_req_2')",
    )
    expect(await run('check')).toMatchObject({
      code: 1,
      output: expect.stringContaining('["snapshot","pa_req_2"]'),
    })
  })

  it('write a complete backup while pawl works, readable by its owner only', async () => {
    const url = await newFile()
    await fillLedger(url, { hasTrail: true })
    const ledger = await openLedger(url)
    const to = join(folder, 'backup.db')
    await backUpLedger(url, { to, env })
    await ledger.close()
    expect(await dumpLedger(`file:${to}`)).toEqual(await dumpLedger(url))
    expect((await stat(to)).mode & 0o777).toBe(0o600)
    expect((await checkLedger(`file:${to}`, { sealingKeys })).faultCount).toBe(0)
  })

  it('overwrite no file, and leave none behind without a ledger', async () => {
    const to = join(folder, 'backup.db')
    await writeFile(to, 'something else')
    await expect(backUpLedger(await newFile(), { to, env })).rejects.toThrow('already exists')
    const other = join(folder, 'other.db')
    await expect(backUpLedger(await newFile(), { to: other, env })).rejects.toThrow('does not exist')
    expect(await readdir(folder)).toEqual(['backup.db'])
  })
})

describeWithPostgres('a check of a ledger on PostgreSQL', () => {
  let postgres: TestPostgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())
  describeCheck(() => postgres.createDatabase())
})

describeWithPostgres('a backup of a ledger on PostgreSQL', () => {
  let postgres: TestPostgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())

  it('writes a dump that pg_restore accepts', async () => {
    const url = await postgres.createDatabase()
    await fillLedger(url, { hasTrail: true })
    const to = join(folder, 'pawl.dump')
    await backUpLedger(url, { to, env })
    expect((await stat(to)).mode & 0o777).toBe(0o600)
    const restored = await postgres.createDatabase()
    await new Promise<void>((resolve, reject) => {
      execFile('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${restored}`, to], (error) =>
        error ? reject(error) : resolve(),
      )
    })
    expect(await dumpLedger(restored)).toEqual(await dumpLedger(url))
  })

  it('reports an unreachable server, without the password', async () => {
    const to = join(folder, 'pawl.dump')
    const url = 'postgres://pawl:secret@127.0.0.1:1/pawl'
    const failed = await backUpLedger(url, { to, env }).catch((error: unknown) => error)
    expect(String(failed)).toContain('pg_dump could not read the ledger')
    expect(String(failed)).not.toContain('secret')
    expect(await readdir(folder)).toEqual([])
  })
})
