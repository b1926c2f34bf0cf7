import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'
import type { Course } from './courses.ts'
import type { ChartWrite } from './writes.ts'

/** The last run in a state, the last run when that state recurs, and the runs in between. */
export interface Return {
  first: HandlerRun
  again: HandlerRun
  /** The runs after the first one, up to the later one. */
  between: readonly HandlerRun[]
}

/** A part of a resource that may leave a state and return to it. */
interface Part {
  /** For the report, with the state. */
  name: string
  of: (run: HandlerRun) => string | undefined
  /** The context that must match for the visit to count as a second one. */
  keyOf: (run: HandlerRun) => string
}

const statusPart: Part = { name: '', of: ({ status }) => status, keyOf: ({ status }) => status }

/** The parts of a PA besides its status: they come and go while everything else stays. */
const otherParts: readonly Part[] = [
  { name: 'transfer ', of: ({ words }) => words[3], keyOf: ({ words }) => words.join(' ') },
  { name: 'thread ', of: ({ thread }) => thread, keyOf: ({ thread, words }) => [thread, ...words].join(' ') },
]

/** The last run of each visit to a state. */
export function visitEnds(course: Course, { keyOf }: Part = statusPart): HandlerRun[] {
  const done = course.filter(({ isDone }) => isDone)
  return done.filter((run, at) => {
    const next = done[at + 1]
    return next === undefined || keyOf(next) !== keyOf(run)
  })
}

/** The returns to a status, or to a state of another part. */
export function returnsIn(course: Course, part: Part = statusPart): Return[] {
  const done = course.filter(({ isDone }) => isDone)
  const ends = visitEnds(course, part)
  return ends.flatMap((again) => {
    const first = ends.find((each) => part.keyOf(each) === part.keyOf(again))
    if (first === undefined || first === again) return []
    const between = done.slice(done.indexOf(first) + 1, done.indexOf(again) + 1)
    return between.some((run) => part.of(run) !== part.of(first)) ? [{ first, again, between }] : []
  })
}

/** Finds records that a handler left in some state at the first visit and in no such state at the second. */
export function chartAgain(course: Course, writes: readonly ChartWrite[], { runOf, labels }: Observations): string[] {
  const own = new Set(
    writes.flatMap(({ call, stored }) => {
      const run = runOf(call)
      return run !== undefined && stored !== undefined && course.includes(run) ? [stored] : []
    }),
  )
  if (own.size === 0) return []
  const shownAt = (time: number) => {
    const shown = new Map<string, string>()
    for (const { call, stored, resource } of writes)
      if (stored !== undefined && own.has(stored) && (call.done?.at ?? Infinity) <= time)
        shown.set(stored, stateOf(resource))
    return new Set(shown.values())
  }
  return [statusPart, ...otherParts].flatMap((part) =>
    returnsIn(course, part).flatMap(({ first, again }) => {
      const state = part.of(first)
      if (state === undefined || state === '') return []
      const second = shownAt(again.endedAt)
      const lost = [...shownAt(first.endedAt)].find((each) => !second.has(each))
      if (lost === undefined) return []
      const { handler, resource } = first
      return [
        `${labels.get(resource)}: ${handler} left a ${lost} at the first ${part.name}${state}, and none at the second`,
      ]
    }),
  )
}

/** Type and status of a record, such as `Task requested`. */
function stateOf(resource: ChartWrite['resource']): string {
  const { resourceType = 'record', status } = { ...resource }
  return [resourceType, typeof status === 'string' && /^[a-z-]{1,30}$/.test(status) ? status : undefined]
    .filter((word) => word !== undefined)
    .join(' ')
}
