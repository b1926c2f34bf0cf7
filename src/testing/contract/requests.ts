import assert from 'node:assert/strict'
import { oneResource, withBench } from './bench.ts'
import type { ContractSubject, Rule } from './subject.ts'

/** What a connector says of its requests, by which a system that was away is known to be back. */
export function requestRules<Port extends object, State>(subject: ContractSubject<Port, State>): Rule[] {
  return [
    {
      name: 'what is sent is told before it is sent, and once it is taken',
      check: () =>
        withBench(subject, async ({ stand, write, tryToWrite, told }) => {
          await write('first')
          assert.ok(told.begun.length > 0, 'run.beginRequest was told nothing of a write.')
          assert.ok(told.answered > 0, 'What run.beginRequest returned was not told that a write was taken.')
          for (const kind of told.begun)
            assert.ok(!kind.includes(oneResource), 'The kind of a request names a resource: it is one for all of them.')
          if (subject.faults !== undefined && !subject.faults.includes('unavailable')) return
          await stand.fail('unavailable')
          const [begun, answered] = [told.begun.length, told.answered]
          await tryToWrite('first', { resourceId: 'pa_req_contract2' })
          assert.ok(told.begun.length > begun, 'run.beginRequest was told nothing of a write that failed.')
          assert.equal(told.answered, answered, 'A write that failed was told of as taken.')
        }),
    },
  ]
}
