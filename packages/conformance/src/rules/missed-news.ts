import type { HandlerRun } from '../handler-runs.ts'
import { comparedHandlers } from '../compare-systems.ts'
import type { Observations } from '../observations.ts'
import { coursesOf } from './courses.ts'
import { type OwnEffect, ownEffectsOf, serviceEffectsOf } from './own-effects.ts'
import { chartWritesOf } from './writes.ts'

/** Finds effects that only the final sync caused, although pawl had settled: no event that the handler follows reported the change, or the handler skipped it. For a record that it keeps, only states count. */
export function onlyAtFinalSync(seen: Observations): string[] {
  const { finalSyncAt, clockChanges, labels, runOf } = seen
  // A clock change may explain it, too.
  if (finalSyncAt === undefined || clockChanges > 0) return []
  const last = new Map<HandlerRun, HandlerRun>()
  for (const course of coursesOf(seen)) {
    const before = course.findLast(({ isDone, beganAt }) => isDone && beganAt < finalSyncAt)
    if (before === undefined || before.words.length === 0 || comparedHandlers.has(before.handler)) continue
    for (const run of course) if (run.beganAt >= finalSyncAt) last.set(run, before)
  }
  const effects = [...ownEffectsOf(seen), ...serviceEffectsOf(seen)]
  const acts = [
    ...effects.flatMap((effect) =>
      effect.isConfirmed && !effects.some((each) => isEarlier(each, effect))
        ? [{ run: effect.run, system: effect.system, isNew: !effect.isRepeatable }]
        : [],
    ),
    ...chartWritesOf(seen.calls).flatMap(({ call, isDone }) => {
      const run = runOf(call)
      return isDone && run !== undefined ? [{ run, system: 'the chart', isNew: call.done?.status === 201 }] : []
    }),
  ]
  return acts.flatMap(({ run, system, isNew }) => {
    const before = last.get(run)
    if (before === undefined || !(isNew || before.words.join(' ') !== run.words.join(' '))) return []
    const about = `${labels.get(run.resource)}: ${run.handler} changed ${system}`
    return [
      before.snapshot === run.snapshot
        ? `${about} only at the final sync, although nothing had changed`
        : `${about} only at the final sync; ${whyMissed(before, run)}`,
    ]
  })
}

/** The fields behind the words of a run. */
const fieldsOfWords = ['status', 'outcome', 'outcome', 'prescription_transfer', 'prescription_transfer']

function whyMissed({ words }: HandlerRun, { words: later, reads }: HandlerRun): string {
  const changed = fieldsOfWords.filter((_, at) => words[at] !== later[at])
  const unread = new Set(changed.filter((field) => reads?.includes(field) === false))
  if (unread.size > 0) return `its \`reads\` leave out ${[...unread].join(', ')}`
  return `it follows no event that reports the change${reads === undefined ? '' : ', or its `reads` leave it out'}`
}

/** Whether an earlier effect had the same content. */
function isEarlier(one: OwnEffect, other: OwnEffect): boolean {
  return one.startedAt < other.startedAt && one.place === other.place && one.content === other.content
}
