import assert from 'node:assert/strict'
import { ended, eventually, withTestBed } from './test-bed.ts'
import type { ContractSubject, Rule } from './contract-subject.ts'

/** Rules about a connector's check and close. */
export function lifeRules<Port extends object, State>(subject: ContractSubject<Port, State>): Rule[] {
  return [
    {
      name: 'check() changes nothing, and reports faults instead of throwing',
      check: () =>
        withTestBed(subject, async ({ stand, restart, held }) => {
          const system = restart()
          if (system.check === undefined) return
          const signal = new AbortController().signal
          const [before, changes] = [await held(), stand.changes?.()]
          const report = await ended('check()', system.check(signal))
          assert.equal(report?.ok, true, 'check() reports a fault of a working far side.')
          assert.deepEqual(await held(), before, 'check() changed something.')
          assert.equal(stand.changes?.(), changes, 'check() sent a change.')
          if (subject.faults !== undefined && !subject.faults.includes('unavailable')) return
          await stand.fail('unavailable')
          const away = await ended('check()', system.check(signal))
          assert.equal(away?.ok, false, 'check() reports no fault of an unavailable far side.')
        }),
    },
    {
      name: 'close() leaves no connection open and no timer running',
      check: () =>
        withTestBed(subject, async ({ stand, restart, write, close }) => {
          const timers = countTimers()
          const system = restart()
          await write('first', { system })
          await close(system)
          await eventually('no timer of the connector runs', () => countTimers() <= timers)
          await eventually('no connection is open', async () => ((await stand.connections?.()) ?? 0) === 0)
        }),
    },
  ]
}

/** Timers that keep the process from ending. */
function countTimers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
}
