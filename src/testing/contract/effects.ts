import assert from 'node:assert/strict'
import { retryOf } from '../../base/errors.ts'
import type { Fault } from '../far-side.ts'
import { type Bench, onNewAndOnKnown, withBench } from './bench.ts'
import type { ContractSubject, Rule } from './subject.ts'

/** What a connector leaves at the far side, however often and in whatever order it is called. */
export function effectRules<Port extends object, State>(subject: ContractSubject<Port, State>): Rule[] {
  const rule = (name: string, check: (bench: Bench<Port>) => Promise<void>): Rule => ({
    name,
    check: () => withBench(subject, check),
  })
  /** What the far side holds after one write of the first state, with nothing in its way. */
  const heldOfFirst = () =>
    withBench(subject, async ({ write, held }) => {
      await write('first')
      return held()
    })

  const rules = [
    rule('each state shows at the far side, and leaves a receipt', async ({ write, held, receipts }) => {
      const before = await held()
      await write('first')
      const first = await held()
      assert.notDeepEqual(first, before, 'Nothing shows at the far side after a write.')
      assert.ok(receipts.length > 0, 'run.wrote was told nothing of a write.')
      await write('second')
      assert.notDeepEqual((await held()).at(-1), first.at(-1), 'The second state looks like the first.')
    }),

    rule('a state that is written again changes nothing', async ({ write, held }) => {
      await write('first')
      const once = await held()
      await write('first')
      assert.deepEqual(await held(), once, 'Writing one state twice had an effect twice.')
    }),

    rule('a restart forgets nothing: all that is remembered is in run.memory', async (bench) => {
      const { stand, write, held, restart } = bench
      const changes = () => stand.changes?.() ?? 0
      await write('first')
      const once = await held()
      const written = changes()
      await write('first')
      const rewritten = changes()
      await write('first', { system: restart() })
      assert.deepEqual(await held(), once, 'A new instance with the same memory wrote the state again.')
      assert.ok(changes() - rewritten <= rewritten - written, 'A new instance sends what the old one knew was there.')
    }),

    rule('what was only noted may be lost: the next write finds what is there', async ({ write, held, restart }) => {
      await write('first', { losesNotes: true })
      const once = await held()
      await write('first', { system: restart() })
      assert.deepEqual(await held(), once, 'A state whose notes (run.memory.note) were lost was written a second time.')
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
      assert.notDeepEqual(await held(other), before, 'Nothing shows of a second resource.')
      assert.deepEqual(await held(), first, 'Writing a second resource changed the first.')
    }),

    rule('handlers that write one state at once leave one effect', async ({ write, tryToWrite, held }) => {
      const errors = await Promise.all([tryToWrite('first'), tryToWrite('first')])
      for (const error of errors.filter((each) => each !== undefined)) {
        assert.notEqual(retryOf(error), 'never', 'One of two writes at once is parked.')
        await write('first')
      }
      assert.deepEqual(await held(), await heldOfFirst(), 'Two writes at once had an effect twice.')
    }),
  ]

  /** A write that the far side meets with a fault, and a retry by a process that knows nothing of it, as after a crash. */
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

  const rulesOfFaults: [fault: Fault, rule: Rule][] = [
    retry('unavailable', 'what failed is made up for: the retry leaves one effect', 'What failed is not there.'),
    retry('lost_answer', 'a lost answer is made up for: the retry leaves one effect', 'What was sent is there twice.'),
    [
      'lost_answer',
      rule('a lost answer deceives nobody: A, B with its answer lost, A ends in A', async (bench) => {
        const { stand, tryToWrite, write, held } = bench
        await write('first')
        const first = (await held()).at(-1)
        await stand.fail('lost_answer')
        await tryToWrite('second')
        await stand.fail()
        await write('first')
        const why = 'The far side took B, its answer was lost, and A was not written again.'
        assert.deepEqual((await held()).at(-1), first, why)
      }),
    ],
  ]
  const { faults } = subject
  const ofFaults = rulesOfFaults.filter(([fault]) => faults === undefined || faults.includes(fault))
  return [...rules, ...ofFaults.map(([, each]) => each)]
}
