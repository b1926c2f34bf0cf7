import type { Rule } from './rule.ts'
import { notApplicable, passUnless } from './rule.ts'

/** Once nothing moves any more, every system holds what the service says, and no work is left. */
export const inStep: Rule = {
  id: 'in-step',
  title: 'In step at the end',
  judge({ labels, differences, unfinished, hasSettled, unknownIds, compared }) {
    if (labels.size === 0) return notApplicable('nothing was created')
    const work = unfinished
      .filter(({ id }) => !unknownIds.has(id))
      .map(
        ({ id, handler, state, code }) =>
          `${labels.get(id)}: ${handler} is ${state}${code === undefined ? '' : ` (${code})`}`,
      )
    const held = differences.flatMap(({ id, found }) => found.map((each) => `${labels.get(id)}: ${each}`))
    const faults = [...held, ...work]
    if (faults.length === 0 && compared.length === 0 && hasSettled)
      return notApplicable('no system of the run was written to; all work is done')
    return passUnless([...faults, ...(hasSettled || work.length > 0 ? [] : ['work went on without an end'])])
  },
}
