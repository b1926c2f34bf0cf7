import assert from 'node:assert/strict'
import { describeError } from '../../base/errors.ts'
import type { Fault } from '../far-side.ts'
import { oneResource, onNewAndOnKnown, withBench } from './bench.ts'
import type { ContractSubject, Rule } from './subject.ts'

const everyFault: readonly Fault[] = [
  'refusal',
  'unavailable',
  'unauthorized',
  'limit',
  'silence',
  'cut',
  'lost_answer',
]

/** Where patient data must not turn up. Throws a `TypeError` where the first state lacks what is searched for. */
export function patientDataRules<Port extends object, State>(subject: ContractSubject<Port, State>): Rule[] {
  const { patientData, faults = everyFault } = subject
  const content = JSON.stringify(subject.states(oneResource)[0])
  const absent = patientData.filter((value) => value === '' || !content.includes(JSON.stringify(value).slice(1, -1)))
  if (patientData.length === 0 || absent.length > 0)
    throw new TypeError(
      `patientData names values that the first state holds. Not there: ${absent.join(', ') || 'any'}.`,
    )

  function assertNone(where: string, text: string): void {
    const searched = text.toLowerCase()
    const found = patientData.filter((value) => searched.includes(value.toLowerCase()))
    assert.deepEqual(found, [], `Patient data is in ${where}.`)
  }

  return [
    {
      name: 'no error and no line of the log quotes patient data',
      async check() {
        for (const fault of faults)
          await onNewAndOnKnown(subject, async ({ stand, tryToWrite, logged }, when) => {
            await stand.fail(fault)
            const error = await tryToWrite('first', { run: { remainingMs: () => 500 } })
            // What the ledger and the console keep; of foreign errors that is not their message.
            const { code, message } = describeError(error)
            assertNone(`the error of ${when}, which the far side met with: ${fault}`, `${code} ${message}`)
            assertNone('the log', logged())
          })
      },
    },
    {
      name: 'no receipt and nothing in memory holds patient data',
      check: () =>
        withBench(subject, async ({ write, receipts, memory, logged }) => {
          for (const which of ['first', 'second', 'first'] as const) await write(which)
          assertNone('a receipt', JSON.stringify(receipts))
          assertNone('memory', JSON.stringify([...memory]))
          assertNone('the log', logged())
        }),
    },
  ]
}
