import { textCount } from '../canary-people.ts'
import { decoded } from '../canary-search.ts'
import { comparedHandlers } from '../compare-systems.ts'
import type { Observations } from '../observations.ts'
import type { Course } from './courses.ts'
import type { OwnEffect } from './own-effects.ts'
import type { ChartWrite } from './writes.ts'

/** Finds messages that a handler left out, though it told others of the thread one by one. A handler may be meant for those with files alone, and for those that came after its first run. */
export function leftOut(
  course: Course,
  { effects, writes, seen }: { effects: readonly OwnEffect[]; writes: readonly ChartWrite[]; seen: Observations },
): string[] {
  const [first] = course
  const last = course.findLast(({ isDone }) => isDone)
  // The messages in the chart are compared with the service.
  if (first === undefined || last === undefined || comparedHandlers.has(last.handler)) return []
  const { labels, messagesOf, runOf, unfinished } = seen
  if (unfinished.some(({ id, handler }) => id === last.resource && handler === last.handler)) return []
  const told = [
    ...effects.flatMap(({ run, content, isRepeatable }) => (course.includes(run) && !isRepeatable ? [content] : [])),
    ...writes.flatMap(({ call, stored }) => {
      const run = runOf(call)
      return run !== undefined && stored !== undefined && course.includes(run) ? [call.body] : []
    }),
  ].map(messagesIn)
  const alone = new Set(told.flatMap((counts) => (counts.size === 1 ? [...counts] : [])))
  const all = new Set(told.flatMap((counts) => [...counts]))
  const known = Number(first.has.find((each) => each.endsWith(' messages'))?.split(' ')[0] ?? 0)
  const messages = (messagesOf.get(last.resource) ?? []).slice(known)
  const left = messages.filter(({ count }) => !all.has(count))
  const isLike = ({ hasFiles }: (typeof messages)[number]) =>
    messages.filter((each) => each.hasFiles === hasFiles && alone.has(each.count)).length > 1
  const missed = left.filter(isLike).length
  return missed === 0
    ? []
    : [`${labels.get(last.resource)}: ${last.handler} told some messages one by one, and left out ${missed} others`]
}

/** The numbers of the messages in a text. */
function messagesIn(text: string): Set<number> {
  const found = `${text}\n${decoded(text)}`.matchAll(new RegExp(textCount, 'g'))
  return new Set([...found].flatMap(([, kind, count]) => (kind === 'message' ? [Number(count)] : [])))
}
