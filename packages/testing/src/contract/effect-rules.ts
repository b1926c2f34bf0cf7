import assert from 'node:assert/strict'
import { retryOf } from '@pawl/base/errors'
import type { Fault } from '../far-side.ts'
import { type TestBed, onNewAndOnKnown, withTestBed } from './test-bed.ts'
import type { ContractSubject, Rule } from './contract-subject.ts'

/** Effects at the far side, however often and in whatever order the connector is called. */
export function effectRules<Port extends object, State>(subject: ContractSubject<Port, State>): Rule[] {
  const rule = (name: string, check: (bed: TestBed<Port>) => Promise<void>): Rule => ({
    name,
    check: () => withTestBed(subject, check),
  })
  /** The far side's state after one undisturbed write of the first state. */
  const heldAfterFirst = () =>
    withTestBed(subject, async ({ write, held }) => {
      await write('first')
      return held()
    })

  const rules = [
    rule('each state shows at the far side, and leaves a receipt', async ({ write, held, receipts }) => {
      const before = await held()
      await write('first')
      const first = await held()
      assert.notDeepEqual(first, before, 'A write changed nothing at the far side.')
      assert.ok(receipts.length > 0, 'The connector wrote without a call of run.wrote.')
      await write('second')
      assert.notDeepEqual((await held()).at(-1), first.at(-1), 'The second state looks like the first.')
    }),

    rule('writing a state again changes nothing', async ({ write, held }) => {
      await write('first')
      const once = await held()
      await write('first')
      assert.deepEqual(await held(), once, 'Writing one state twice had two effects.')
    }),

    rule('a restart loses nothing: run.memory holds all state', async (bed) => {
      const { stand, write, held, restart } = bed
      const changes = () => stand.changes?.() ?? 0
      await write('first')
      const once = await held()
      const written = changes()
      await write('first')
      const rewritten = changes()
      await write('first', { system: restart() })
      assert.deepEqual(await held(), once, 'A new instance with the same memory wrote the state again.')
      assert.ok(
        changes() - rewritten <= rewritten - written,
        'A new instance sent a change that the old instance skipped.',
      )
    }),

    rule('lost notes do no harm: the next write finds the existing effect', async ({ write, held, restart }) => {
      await write('first', { losesNotes: true })
      const once = await held()
      await write('first', { system: restart() })
      assert.deepEqual(await held(), once, 'After its notes (run.memory.note) were lost, a state was written twice.')
    }),

    rule('the newest state wins: A, B, A ends in A', async ({ write, held }) => {
      await write('first')
      const first = (await held()).at(-1)
      await write('second')
      await write('first')
      assert.deepEqual((await held()).at(-1), first, 'After A, B, A the far side does not show A.')
    }),

    rule('resources are kept apart', async ({ write, held }) => {
      const other = 'pa_req_contract2'
      const before = await held(other)
      await write('first')
      assert.deepEqual(await held(other), before, 'Writing one resource changed another.')
      const first = await held()
      await write('second', { resourceId: other })
      assert.notDeepEqual(await held(other), before, 'Writing a second resource changed nothing at the far side.')
      assert.deepEqual(await held(), first, 'Writing a second resource changed the first.')
    }),

    rule('concurrent writes of one state leave one effect', async ({ write, tryToWrite, held }) => {
      const errors = await Promise.all([tryToWrite('first'), tryToWrite('first')])
      for (const error of errors.filter((each) => each !== undefined)) {
        assert.notEqual(retryOf(error), 'never', 'One of two concurrent writes is parked.')
        await write('first')
      }
      assert.deepEqual(await held(), await heldAfterFirst(), 'Two concurrent writes had two effects.')
    }),
  ]

  /** A write that meets a fault, then a retry by a new process, as after a crash. */
  const retry = (fault: Fault, name: string, why: string): [Fault, Rule] => [
    fault,
    {
      name,
      async check() {
        const expected: (readonly unknown[])[] = []
        await onNewAndOnKnown(subject, async ({ write, held }) => {
          await write('first')
          expected.push(await held())
        })
        await onNewAndOnKnown(subject, async ({ stand, tryToWrite, write, held, restart }, when) => {
          await stand.fail(fault)
          await tryToWrite('first')
          await stand.fail()
          await write('first', { system: restart() })
          assert.deepEqual(await held(), expected.shift(), `${why} (${when})`)
        })
      },
    },
  ]

  const removals = [
    rule('a removal leaves no record, and the next state shows again', async ({ write, held, restart }) => {
      const before = await held()
      await write('gone')
      assert.deepEqual(await held(), before, 'A removal before any write left a record.')
      await write('first')
      const first = await held()
      assert.notDeepEqual(first, before, 'After a removal the next state did not show.')
      await write('first', { resourceId: 'pa_req_contract2' })
      for (const when of ['', ' the second time']) {
        await write('gone', { system: restart() })
        assert.deepEqual(await held(), before, `A removal left a record${when}.`)
      }
      assert.equal((await held('pa_req_contract2')).length, first.length, 'A removal removed the record of another.')
      await write('first')
      assert.deepEqual(await held(), first, 'After A, gone, A the far side does not show A: forget what was removed.')
    }),
  ]

  const retryOfRemoval = (fault: Fault, name: string): [Fault, Rule] => [
    fault,
    rule(name, async ({ stand, write, tryToWrite, held, restart }) => {
      const before = await held()
      await write('first')
      const first = await held()
      await stand.fail(fault)
      await tryToWrite('gone')
      await stand.fail()
      // The PA may come back before the retry.
      await write('first', { system: restart() })
      assert.deepEqual(await held(), first, `After a removal with the fault ${fault} the next state did not show.`)
      await stand.fail(fault)
      await tryToWrite('gone')
      await stand.fail()
      const error = await tryToWrite('gone', { system: restart() })
      assert.equal(error, undefined, `The retry of a removal failed after the fault ${fault}: gone already is gone.`)
      assert.deepEqual(await held(), before, 'The retry of a removal left a record.')
    }),
  ]

  const rulesOfFaults: [fault: Fault, rule: Rule][] = [
    retry(
      'unavailable',
      'a retry after a failed write leaves one effect',
      'The retry of a failed write left no effect.',
    ),
    retry('lost_answer', 'a retry after a lost answer leaves one effect', 'The retry left a second effect.'),
    [
      'lost_answer',
      rule('the newest state wins after a lost answer: A, B, A ends in A', async (bed) => {
        const { stand, tryToWrite, write, held } = bed
        await write('first')
        const first = (await held()).at(-1)
        await stand.fail('lost_answer')
        await tryToWrite('second')
        await stand.fail()
        await write('first')
        const why = 'The far side accepted B, its answer was lost, and A was not rewritten.'
        assert.deepEqual((await held()).at(-1), first, why)
      }),
    ],
  ]
  const rulesOfRemovals = [
    retryOfRemoval('unavailable', 'a retry after a failed removal leaves no record'),
    retryOfRemoval('lost_answer', 'a retry after a lost answer to a removal leaves no record'),
  ]
  const { faults, gone } = subject
  const mayMeet = ([fault]: [Fault, Rule]) => faults === undefined || faults.includes(fault)
  return [
    ...rules,
    ...rulesOfFaults.filter(mayMeet).map(([, each]) => each),
    ...(gone === undefined ? [] : [...removals, ...rulesOfRemovals.filter(mayMeet).map(([, each]) => each)]),
  ]
}
