import type { Observations } from '../observations.ts'
import type { Course } from './courses.ts'
import type { OwnEffect } from './own-effects.ts'
import { postedIn } from './posted-records.ts'
import { heldAt, writtenIn } from './stale-records.ts'
import { namesDay } from './written-days.ts'
import type { ChartWrite } from './writes.ts'

/** Finds records that named the last day of an approval, and still name the earlier one after it moved. */
export function lastDayLeftBehind(
  course: Course,
  { effects, writes, seen }: { effects: readonly OwnEffect[]; writes: readonly ChartWrite[]; seen: Observations },
): string[] {
  const all = [...writtenIn(course, { effects, writes, seen }), ...postedIn(course, seen)]
  const done = course.filter(({ isDone }) => isDone)
  const ends = done.filter(({ lastDay }, at) => done[at + 1]?.lastDay !== lastDay)
  return ends.flatMap(({ lastDay, endedAt, handler, resource }, at) => {
    const past = ends.slice(0, at).flatMap((end) => (end.lastDay === undefined ? [] : [end.lastDay]))
    if (lastDay === undefined) return []
    return heldAt(all, endedAt).flatMap(({ system, texts }) => {
      const text = [...texts.values()].join('\n')
      return namesDay(text, lastDay) || !past.some((day) => namesDay(text, day))
        ? []
        : [`${seen.labels.get(resource)}: ${handler} left ${system} a record with the last day before it moved`]
    })
  })
}
