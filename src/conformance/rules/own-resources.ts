import { notApplicable, passUnless, type Rule } from './rule.ts'
import { chartWritesOf } from './writes.ts'

/** Only what pawl created in the chart is changed, and nothing is deleted. */
export const ownResources: Rule = {
  id: 'own-resources',
  title: 'Only own resources touched',
  judge({ calls }) {
    const writes = chartWritesOf(calls)
    if (writes.length === 0) return notApplicable('the chart was not written to')
    const own = new Set<string>()
    return passUnless(
      writes.flatMap(({ call, target, stored }) => {
        const isCreated = call.done?.status === 201 && stored !== undefined
        if (isCreated) own.add(stored)
        const type = (target ?? stored ?? '').split('/')[0] ?? ''
        if (call.method === 'DELETE') return [`a ${type} was to be deleted`]
        const touched = target ?? (isCreated ? undefined : stored)
        return touched === undefined || own.has(touched) ? [] : [`a ${type} was written to that pawl had not created`]
      }),
    )
  },
}
