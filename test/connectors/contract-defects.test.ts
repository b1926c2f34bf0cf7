import { AssertionError } from 'node:assert'
import { describe, expect, it } from 'vitest'
import { connectorContract, type Rule } from '#pawl/testing'
import type { Defect } from '../support/faulty-desk.ts'
import { subjectWith } from '../support/faulty-desk-subject.ts'

/** Names of the rules that a connector breaks. */
async function brokenBy(defect: Defect): Promise<string[]> {
  const rules = connectorContract(subjectWith(defect))
  const isBroken = ({ check }: Rule) =>
    check().then(
      () => false,
      (error: unknown) => {
        if (error instanceof AssertionError) return true
        throw error
      },
    )
  // The rule on what is left running needs the process for itself.
  const [others, alone] = [rules.slice(0, -1), rules.slice(-1)]
  const broken = [...(await Promise.all(others.map(isBroken))), ...(await Promise.all(alone.map(isBroken)))]
  return rules.filter((_, index) => broken[index]).map(({ name }) => name)
}

const outages = [
  'a system in trouble is an outage',
  'credentials that expired are an outage',
  'a connection that was cut is an outage',
  'silence is an outage, given up before the lease ends',
]

const verdicts = [
  'what is refused is not tried again',
  'a system in trouble is an outage',
  'credentials that expired are an outage',
  'a limit is no outage, and is tried again',
  'a connection that was cut is an outage',
  'silence is an outage, given up before the lease ends',
]

/** The rules that a connector breaks by its defect, and no others. */
const cases: Record<Defect, string[]> = {
  'remembers before it has sent': ['what failed is made up for: the retry leaves one effect'],
  'forgets that the far side may hold what was sent': [
    'a lost answer deceives nobody: A, B with its answer lost, A ends in A',
  ],
  'remembers in the process': ['a restart forgets nothing: all that is remembered is in run.memory'],
  'opens a case without a key': [
    'handlers that write one state at once leave one effect',
    'a lost answer is made up for: the retry leaves one effect',
  ],
  'only notes a case that it opened without a key': [
    'what was only noted may be lost: the next write finds what is there',
    'handlers that write one state at once leave one effect',
    'a lost answer is made up for: the retry leaves one effect',
  ],
  'tries everything again': ['what is refused is not tried again'],
  'never blames the system': outages,
  'throws errors without a verdict': verdicts,
  'quotes what the system said': ['no error and no line of the log quotes patient data'],
  'does not ask whether it may act': ['a run that lost its claim sends nothing more'],
  'does not hear the signal': ['a run that was given up sends nothing more, and blames nobody'],
  'takes longer than the lease': [
    'silence is an outage, given up before the lease ends',
    'no error and no line of the log quotes patient data',
  ],
  'does not say what it sends': ['what is sent is told before it is sent, and once it is taken'],
  'never updates': ['each state shows at the far side, and leaves a receipt', ...verdicts],
  'has one case for all': ['resources are kept apart'],
  'leaves a timer running': ['close() leaves no connection open and no timer running'],
  'opens a case to check': ['check() changes nothing, and says what is wrong instead of throwing'],
  'reports the name of the patient': ['no receipt and nothing in memory holds patient data'],
}

describe('a connector breaks the rule that its defect is about, and no other, if it', () => {
  // The compiler widens the keys of a record.
  for (const [defect, rules] of Object.entries(cases) as [Defect, string[]][])
    it(defect, async () => {
      expect(await brokenBy(defect)).toEqual(rules)
    })
})
