import assert from 'node:assert/strict'
import { PawlError } from '@pawl/base/errors'
import type { Fault } from '../far-side.ts'
import { onNewAndOnKnown } from './test-bed.ts'
import type { ContractSubject, Rule } from './contract-subject.ts'

/** The verdict that a connector's error must carry for each fault. */
const verdicts: readonly { fault: Fault; name: string; isRetried: boolean; isOutage: boolean }[] = [
  { fault: 'refusal', name: 'a refusal is not retried', isRetried: false, isOutage: false },
  { fault: 'unavailable', name: 'a system in trouble is an outage', isRetried: true, isOutage: true },
  { fault: 'unauthorized', name: 'expired credentials are an outage', isRetried: true, isOutage: true },
  { fault: 'limit', name: 'a rate limit is no outage, and is retried', isRetried: true, isOutage: false },
  { fault: 'cut', name: 'a cut connection is an outage', isRetried: true, isOutage: true },
  {
    fault: 'silence',
    name: 'silence is an outage, given up before the lease ends',
    isRetried: true,
    isOutage: true,
  },
]

/** Rules about the verdicts of a connector's errors: whether to retry, and whether the system is out. */
export function verdictRules<Port extends object, State>(subject: ContractSubject<Port, State>): Rule[] {
  const { faults } = subject
  return verdicts
    .filter(({ fault }) => faults === undefined || faults.includes(fault))
    .map(({ fault, name, isRetried, isOutage }) => ({
      name,
      check: () =>
        onNewAndOnKnown(subject, async ({ stand, tryToWrite }, when) => {
          const met = `${when} under the fault ${fault}.`
          await stand.fail(fault)
          // Only silence has to run into the end of the lease.
          const run = fault === 'silence' ? { remainingMs: () => 500 } : {}
          const error = await tryToWrite('first', { run })
          assert.ok(error !== undefined, `No error was thrown by ${met}`)
          assert.ok(error instanceof PawlError, `Use a PawlError, which carries a verdict, for the error of ${met}`)
          const verdict = error.retry === 'never' ? 'never' : 'again'
          assert.equal(verdict, isRetried ? 'again' : 'never', `The verdict is wrong for ${met}`)
          assert.equal(error.isOutage, isOutage, `isOutage is wrong for ${met}`)
        }),
    }))
}
