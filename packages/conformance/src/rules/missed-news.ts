import type { HandlerRun } from '../handler-runs.ts'
import { comparedHandlers } from '../compare-systems.ts'
import type { Observations } from '../observations.ts'
import { coursesOf } from './courses.ts'
import { type OwnEffect, ownEffectsOf, serviceEffectsOf } from './own-effects.ts'
import { chartWritesOf } from './writes.ts'

/** Finds effects that only the last look at all resources brought, though pawl had settled: no event that the handler follows had told it, or it had left them out. Of a record that it keeps, only states count. */
export function missedNews(seen: Observations): string[] {
  const { lookedAgainAt, clockChanges, labels, runOf } = seen
  // Time may be a reason, too.
  if (lookedAgainAt === undefined || clockChanges > 0) return []
  const last = new Map<HandlerRun, HandlerRun>()
  for (const course of coursesOf(seen)) {
    const before = course.findLast(({ isDone, beganAt }) => isDone && beganAt < lookedAgainAt)
    if (before === undefined || before.words.length === 0 || comparedHandlers.has(before.handler)) continue
    for (const run of course) if (run.beganAt >= lookedAgainAt) last.set(run, before)
  }
  const effects = [...ownEffectsOf(seen), ...serviceEffectsOf(seen)]
  const deeds = [
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
  return deeds.flatMap(({ run, system, isNew }) => {
    const before = last.get(run)
    if (before === undefined || !(isNew || before.words.join(' ') !== run.words.join(' '))) return []
    const about = `${labels.get(run.resource)}: ${run.handler} told ${system}`
    return [
      before.snapshot === run.snapshot
        ? `${about} something only when all was looked at again, though nothing had changed`
        : `${about} of a change only when all was looked at again; it follows no event that tells of it`,
    ]
  })
}

/** Whether it said the same before. */
function isEarlier(one: OwnEffect, other: OwnEffect): boolean {
  return one.startedAt < other.startedAt && one.place === other.place && one.content === other.content
}
