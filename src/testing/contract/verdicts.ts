import assert from 'node:assert/strict'
import { PawlError } from '../../base/errors.ts'
import type { Fault } from '../far-side.ts'
import { onNewAndOnKnown } from './bench.ts'
import type { ContractSubject, Rule } from './subject.ts'

/** Of each fault: what a connector must conclude, and the rule that says so. */
const verdicts: readonly { fault: Fault; name: string; isTriedAgain: boolean; isOutage: boolean }[] = [
  { fault: 'refusal', name: 'what is refused is not tried again', isTriedAgain: false, isOutage: false },
  { fault: 'unavailable', name: 'a system in trouble is an outage', isTriedAgain: true, isOutage: true },
  { fault: 'unauthorized', name: 'credentials that expired are an outage', isTriedAgain: true, isOutage: true },
  { fault: 'limit', name: 'a limit is no outage, and is tried again', isTriedAgain: true, isOutage: false },
  { fault: 'cut', name: 'a connection that was cut is an outage', isTriedAgain: true, isOutage: true },
  {
    fault: 'silence',
    name: 'silence is an outage, given up before the lease ends',
    isTriedAgain: true,
    isOutage: true,
  },
]

/** What a connector's errors say about trying again, and about the system. */
export function verdictRules<Port extends object, State>(subject: ContractSubject<Port, State>): Rule[] {
  const { faults } = subject
  return verdicts
    .filter(({ fault }) => faults === undefined || faults.includes(fault))
    .map(({ fault, name, isTriedAgain, isOutage }) => ({
      name,
      check: () =>
        onNewAndOnKnown(subject, async ({ stand, tryToWrite }, when) => {
          const met = `${when}, which the far side met with: ${fault}.`
          await stand.fail(fault)
          const error = await tryToWrite('first', { run: { remainingMs: () => 500 } })
          assert.ok(error !== undefined, `No error came of ${met}`)
          assert.ok(error instanceof PawlError, `The error is no PawlError, and has no verdict, of ${met}`)
          const verdict = error.retry === 'never' ? 'never' : 'again'
          assert.equal(verdict, isTriedAgain ? 'again' : 'never', `The verdict is wrong on ${met}`)
          assert.equal(error.isOutage, isOutage, `isOutage is wrong on ${met}`)
        }),
    }))
}
