import assert from 'node:assert/strict'
import { describeError } from '@pawl/base/errors'
import type { Fault } from '../far-side.ts'
import { oneResource, onNewAndOnKnown, withTestBed } from './test-bed.ts'
import type { ContractSubject, Rule } from './contract-subject.ts'

const everyFault: readonly Fault[] = [
  'refusal',
  'unavailable',
  'unauthorized',
  'limit',
  'silence',
  'cut',
  'lost_answer',
]

/** Rules that search for patient data; none if `patientData` is empty. Throws a `TypeError` if the first state lacks one of its values. */
export function patientDataRules<Port extends object, State>(subject: ContractSubject<Port, State>): Rule[] {
  const { patientData, faults = everyFault } = subject
  const content = JSON.stringify(subject.states(oneResource)[0])
  const absent = patientData.filter((value) => value === '' || !content.includes(JSON.stringify(value).slice(1, -1)))
  if (absent.length > 0)
    throw new TypeError(
      `patientData lists values that the first state lacks, so its check would find nothing: ${absent.join(', ') || 'an empty text'}.`,
    )
  if (patientData.length === 0) return []

  function assertNone(where: string, text: string): void {
    const searched = text.toLowerCase()
    const found = patientData.filter((value) => searched.includes(value.toLowerCase()))
    assert.deepEqual(found, [], `Patient data is in ${where}.`)
  }

  return [
    {
      name: 'no error and no log line quotes patient data',
      async check() {
        for (const fault of faults)
          await onNewAndOnKnown(subject, async ({ stand, tryToWrite, logged }, when) => {
            await stand.fail(fault)
            const error = await tryToWrite('first', { run: { remainingMs: () => 500 } })
            // Ledger and console keep code and message; they drop messages of foreign errors.
            const { code, message } = describeError(error)
            assertNone(`the error of ${when} under the fault ${fault}`, `${code} ${message}`)
            assertNone('the log', logged())
          })
      },
    },
    {
      name: 'no receipt and no memory entry holds patient data',
      check: () =>
        withTestBed(subject, async ({ write, receipts, memory, logged }) => {
          for (const which of ['first', 'second', 'first'] as const) await write(which)
          assertNone('a receipt', JSON.stringify(receipts))
          assertNone('memory', JSON.stringify([...memory]))
          assertNone('the log', logged())
        }),
    },
  ]
}
