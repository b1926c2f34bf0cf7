import { notApplicable, passUnless, type Rule } from './rule.ts'
import { againstStaff } from './staff-ended.ts'
import { chartWritesOf } from './writes.ts'

/** pawl's later writes keep staff's edits in the chart. */
export const noLostUpdate: Rule = {
  id: 'no-lost-update',
  title: 'No lost update',
  judge(seen) {
    const { edits, calls, runOf, labels } = seen
    if (edits.length === 0) return notApplicable('staff changed nothing in the chart')
    const writes = chartWritesOf(calls).filter(({ isDone }) => isDone)
    return passUnless([
      ...edits.flatMap(({ reference, note, at }) => {
        // Also counts a write in flight during the edit that the chart still accepts.
        const lost = writes.find(({ call, stored, target }) => {
          const held = call.method === 'PATCH' ? call.done?.body : call.body
          return (stored ?? target) === reference && call.endedAt > at && held !== '' && held?.includes(note) === false
        })
        const run = lost && runOf(lost.call)
        const by = run === undefined ? '' : `${labels.get(run.resource)}: ${run.handler}: `
        return lost === undefined
          ? []
          : [`${by}a ${lost.call.method} to a ${reference.split('/')[0]} overwrote an edit by staff`]
      }),
      ...againstStaff(seen),
    ])
  },
}
