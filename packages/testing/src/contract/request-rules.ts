import assert from 'node:assert/strict'
import { oneResource, withTestBed } from './test-bed.ts'
import type { ContractSubject, Rule } from './contract-subject.ts'

/** A connector reports its requests, which shows when a system recovers. */
export function requestRules<Port extends object, State>(subject: ContractSubject<Port, State>): Rule[] {
  return [
    {
      name: 'each request is reported before it is sent, and once it is answered',
      check: () =>
        withTestBed(subject, async ({ stand, write, tryToWrite, told }) => {
          await write('first')
          assert.ok(told.begun.length > 0, 'The connector wrote without a call of run.beginRequest.')
          assert.ok(told.answered > 0, 'The connector did not call answered() after a successful write.')
          for (const kind of told.begun)
            assert.ok(
              !kind.includes(oneResource),
              'The kind of a request names a resource: use one kind for all resources.',
            )
          if (subject.faults !== undefined && !subject.faults.includes('unavailable')) return
          await stand.fail('unavailable')
          const [begun, answered] = [told.begun.length, told.answered]
          await tryToWrite('first', { resourceId: 'pa_req_contract2' })
          assert.ok(
            told.begun.length > begun,
            'The connector did not call run.beginRequest before a write that failed.',
          )
          assert.equal(told.answered, answered, 'The connector called answered() for a failed write.')
        }),
    },
  ]
}
