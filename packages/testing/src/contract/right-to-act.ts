import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { PawlError, retryOf } from '@pawl/base/errors'
import { ClaimLost } from '@pawl/ledger/hot/claim'
import { type TestBed, eventually, withTestBed } from './test-bed.ts'
import type { ContractSubject, Rule } from './contract-subject.ts'

/** Rules for a run that may no longer act. */
export function rightToActRules<Port extends object, State>(subject: ContractSubject<Port, State>): Rule[] {
  return [
    {
      name: 'a run that lost its claim sends nothing more',
      async check() {
        const all = await withTestBed(subject, async ({ stand, write }) => {
          await write('first')
          return stand.changes?.() ?? 0
        })
        for (let allowed = 0; allowed < Math.max(1, all); allowed += 1)
          await withTestBed(subject, (bed) => loseClaimAfter(allowed, bed))
      },
    },
    {
      name: 'an aborted run sends nothing more, and blames no system',
      check: () =>
        withTestBed(subject, async (bed) => {
          const { stand, tryToWrite, held } = bed
          const before = await held()
          const error = await tryToWrite('first', { run: { signal: AbortSignal.abort() } })
          assertBlamesNoSystem(error, 'A run that was aborted before it began')
          assert.deepEqual(await held(), before, 'It wrote although the signal had aborted.')
          if (subject.faults !== undefined && !subject.faults.includes('silence')) return
          await stand.fail('silence')
          assertBlamesNoSystem(await abortInSilence(bed), 'A run that was aborted while it waited')
        }),
    },
  ]
}

/** Loses the claim once the far side received `allowed` changes, or that many are in flight; no more may follow. */
async function loseClaimAfter<Port extends object>(allowed: number, bed: TestBed<Port>): Promise<void> {
  const { stand, tryToWrite, held } = bed
  const changes = () => stand.changes?.() ?? 0
  const before = await held()
  let asked = 0
  const assertMayAct = () => {
    asked += 1
    if (asked > allowed || changes() >= allowed) throw new ClaimLost('Another process took the claim.')
  }
  const error = await tryToWrite('first', { run: { assertMayAct } })
  assertBlamesNoSystem(error, 'A run that lost its claim')
  assert.ok(changes() <= allowed, `It sent ${changes() - allowed} more changes after its claim was lost at ${allowed}.`)
  if (allowed === 0) assert.deepEqual(await held(), before, 'It wrote although assertMayAct threw.')
}

/** Aborts a run while the far side is silent; resolves with its error. */
async function abortInSilence<Port extends object>({ stand, tryToWrite }: TestBed<Port>): Promise<unknown> {
  const abort = new AbortController()
  let isAsked = false
  let isOver = false
  const before = stand.changes?.() ?? 0
  const run = { signal: abort.signal, assertMayAct: () => void (isAsked = true) }
  const written = tryToWrite('first', { run }).finally(() => (isOver = true))
  const isWaiting = () => isOver || (stand.changes === undefined ? isAsked : stand.changes() > before)
  // An early error of the write takes precedence.
  await Promise.race([written, eventually('the far side receives a change', isWaiting)])
  await turn()
  abort.abort()
  return written
}

function assertBlamesNoSystem(error: unknown, what: string): void {
  assert.ok(error !== undefined, `${what} wrote anyway.`)
  const isOutage = error instanceof PawlError && (error.isOutage || error.mayBeOutage)
  assert.ok(!isOutage, `${what} counts as an outage of the system, which stops all other work.`)
  assert.notEqual(retryOf(error), 'never', `${what} parks the work.`)
}
