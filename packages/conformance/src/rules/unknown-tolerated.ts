import { describeFailure } from '../handler-runs.ts'
import { notApplicable, passUnless, type Rule } from './rule.ts'

/** pawl accepts unknown types, statuses and fields, and no handler fails on them. */
export const unknownTolerated: Rule = {
  id: 'unknown-tolerated',
  title: 'Unknown values tolerated',
  judge(seen) {
    const { deliveries, strange, unknownIds, unfinished, labels } = seen
    const sent = deliveries.filter(({ isUnusual }) => isUnusual)
    const asked = strange.filter(({ what }) => what === 'unknown values')
    if (sent.length + asked.length + unknownIds.size === 0) return notApplicable('the service sent no unknown values')
    const refused = [...sent.filter(({ isTaken }) => !isTaken), ...asked.filter(({ status }) => status >= 300)]
    return passUnless([
      ...refused.map(() => 'a delivery with unknown values was refused'),
      ...unfinished
        .filter(({ id }) => unknownIds.has(id))
        .map(
          ({ id, handler, state, code }) =>
            `${labels.get(id)}, with unknown values: ${handler} is ${state} (${describeFailure(seen, id, handler) || (code ?? 'no error')})`,
        ),
    ])
  },
}
