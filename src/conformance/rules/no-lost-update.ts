import { notApplicable, passUnless, type Rule } from './rule.ts'
import { chartWritesOf } from './writes.ts'

/** pawl's later writes keep staff's edits in the chart. */
export const noLostUpdate: Rule = {
  id: 'no-lost-update',
  title: 'No lost update',
  judge({ edits, calls }) {
    if (edits.length === 0) return notApplicable('staff changed nothing in the chart')
    const writes = chartWritesOf(calls)
    return passUnless(
      edits.flatMap(({ reference, note, at }) => {
        const later = writes.filter(({ call, stored, isDone }) => isDone && stored === reference && call.startedAt > at)
        const overwrites = [
          ...later,
          // In flight during the edit, and still accepted.
          ...writes.filter(
            ({ call, stored, isDone }) => isDone && stored === reference && call.startedAt <= at && call.endedAt > at,
          ),
        ].filter(({ resource }) => !(resource?.note ?? []).some(({ text }) => text === note))
        return overwrites.length === 0 ? [] : [`a write to ${reference.split('/')[0]} overwrote an edit by staff`]
      }),
    )
  },
}
