import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../packages/base/src/clock.ts'
import type { Claim } from '../../packages/ledger/src/hot/claim.ts'
import { openLocalLedger } from '../../packages/ledger/src/open-local-ledger.ts'
import { commits } from '../../packages/ledger/test/commits.ts'
import { dumpLedger } from '../../packages/ledger/test/filled-ledger.ts'

/**
 * Tries every commit of a delivery and its work on a disk without room, then with room for one more page, until it succeeds.
 * Throws where a failed commit left a trace; prints how often each failed.
 */
const folder = process.argv[2] ?? ''
const pageBytes = 4_096
const databaseUrl = `file:${join(folder, 'pawl.db')}`
const ballast = join(folder, 'ballast')
const deps = { clock: systemClock, onError: (error: Error) => assert.fail(error) }

/** Takes all room but for these pages. */
function leave(pages: number): void {
  try {
    for (;;) appendFileSync(ballast, Buffer.alloc(pageBytes))
  } catch {
    truncateSync(ballast, statSync(ballast).size - pages * pageBytes)
  }
}

/** What a process finds that opens the ledger after this one was killed. */
async function dumpCopy(): Promise<Record<string, string[]>> {
  const copy = join(folder, '..', 'copy.db')
  for (const suffix of ['', '-wal']) copyFileSync(join(folder, `pawl.db${suffix}`), `${copy}${suffix}`)
  return dumpLedger(`file:${copy}`)
}

const ledger = await openLocalLedger({ databaseUrl, sealingKeys: [] }, deps)
await ledger.digestKey()
appendFileSync(ballast, Buffer.alloc(64 * 2 ** 20))
const refusals: Record<string, number> = {}
let claim = {} as Claim
for (const [name, commit] of Object.entries(commits)) {
  const before = await dumpLedger(databaseUrl)
  refusals[name] = 0
  for (let isStored = false; !isStored;) {
    leave(refusals[name] === 0 ? 0 : 1)
    try {
      claim = (await commit(ledger, claim)) ?? claim
      isStored = true
    } catch (error) {
      assert(error instanceof Error && 'code' in error && error.code === 'SQLITE_FULL', String(error))
      refusals[name] += 1
      assert.deepEqual(await dumpLedger(databaseUrl), before, name)
      assert.deepEqual(await dumpCopy(), before, name)
    }
  }
  const after = await dumpLedger(databaseUrl)
  assert.notDeepEqual(after, before, name)
  assert.deepEqual(await dumpCopy(), after, name)
}
rmSync(ballast)
await ledger.close()
process.stdout.write(JSON.stringify(refusals))
