import { AssertionError } from 'node:assert'
import { describe, expect, it } from 'vitest'
import { connectorContract, type Rule } from '../src/index.ts'
import type { Defect } from '../../../test/support/faulty-desk.ts'
import { type BoardDefect, boardWith } from '../../../test/support/faulty-board.ts'
import { subjectWith } from '../../../test/support/faulty-desk-subject.ts'

/** Names of those that a connector breaks. */
async function brokenBy(rules: readonly Rule[]): Promise<string[]> {
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
  'expired credentials are an outage',
  'a cut connection is an outage',
  'silence is an outage, given up before the lease ends',
]

const verdicts = [
  'a refusal is not retried',
  'a system in trouble is an outage',
  'expired credentials are an outage',
  'a rate limit is no outage, and is retried',
  'a cut connection is an outage',
  'silence is an outage, given up before the lease ends',
]

/** The rules that a connector breaks by its defect, and no others. */
const cases: Record<Defect, string[]> = {
  'remembers before it has sent': ['a retry after a failed write leaves one effect'],
  'forgets that the far side may hold what was sent': ['the newest state wins after a lost answer: A, B, A ends in A'],
  'remembers in the process': ['a restart loses nothing: run.memory holds all state'],
  'opens a case without a key': [
    'concurrent writes of one state leave one effect',
    'a retry after a lost answer leaves one effect',
  ],
  'only notes a case that it opened without a key': [
    'lost notes do no harm: the next write finds the existing effect',
    'concurrent writes of one state leave one effect',
    'a retry after a lost answer leaves one effect',
  ],
  'tries everything again': ['a refusal is not retried'],
  'never blames the system': outages,
  'throws errors without a verdict': verdicts,
  'quotes what the system said': ['no error and no log line quotes patient data'],
  'does not ask whether it may act': ['a run that lost its claim sends nothing more'],
  'does not hear the signal': ['an aborted run sends nothing more, and blames no system'],
  'takes longer than the lease': [
    'silence is an outage, given up before the lease ends',
    'no error and no log line quotes patient data',
  ],
  'does not say what it sends': ['each request is reported before it is sent, and once it is answered'],
  'never updates': ['each state shows at the far side, and leaves a receipt', ...verdicts],
  'has one case for all': ['resources are kept apart'],
  'leaves a timer running': ['close() leaves no connection open and no timer running'],
  'opens a case to check': ['check() changes nothing, and reports faults instead of throwing'],
  'reports the name of the patient': ['no receipt and no memory entry holds patient data'],
  'remembers what it removed': [
    'a removal leaves no record, and the next state shows again',
    'a retry after a lost answer to a removal leaves no record',
  ],
  'fails to remove what is gone': ['a retry after a lost answer to a removal leaves no record'],
}

describe('a connector breaks the rule that its defect is about, and no other, if it', () => {
  // The compiler widens the keys of a record.
  for (const [defect, rules] of Object.entries(cases) as [Defect, string[]][])
    it(defect, async () => {
      expect(await brokenBy(connectorContract(subjectWith(defect)))).toEqual(rules)
    })
})

/** The rule that a connector breaks where staff use its far side, too. */
const besideStaff: Record<BoardDefect, string> = {
  'takes the first case of a search': 'a record that only mentions the resource is left alone',
  'writes over what staff edited': 'an edit by staff survives the next writes',
  'takes a case that staff deleted for written': 'a record that staff deleted is written anew, or its write fails',
}

describe('a connector beside staff breaks the rule that its defect is about, and no other, if it', () => {
  it('has none', async () => expect(await brokenBy(connectorContract(boardWith()))).toEqual([]))

  // As above.
  for (const [defect, rule] of Object.entries(besideStaff) as [BoardDefect, string][])
    it(defect, async () => {
      expect(await brokenBy(connectorContract(boardWith(defect)))).toEqual([rule])
    })
})
