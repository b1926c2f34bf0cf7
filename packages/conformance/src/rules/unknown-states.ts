import { parseJson } from '@pawl/base/parse-json'
import { isApproved } from 'pawl-client/schemas/outcome'
import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'
import { unknownStatus } from '../truth-book.ts'
import { allCoursesOf, type Course } from './courses.ts'
import { type Deed, deedsIn } from './like-cases.ts'
import { textsOf } from './stale-records.ts'

/** Status and status of the transfer among the words of a run, with those that are an end. */
const slots = [
  { slot: 0, ends: new Set(['completed', 'failed', 'not_submitted', 'cancelled']) },
  { slot: 3, ends: new Set(['completed', 'error', 'cancelled']) },
] as const

/** A run in another state than the one before it. */
interface Move {
  run: HandlerRun
  from: string
  to: string
}

/** Finds what a handler did in a state that it cannot know and otherwise does only at an end: such a case may go on. */
export function takenForEnd(seen: Observations): string[] {
  const deeds = deedsIn(seen).filter(({ isConfirmed }) => isConfirmed)
  const all = allCoursesOf(seen)
  return [...new Set(all.map(handlerOf))].flatMap((handler) => {
    const courses = all.filter((course) => handlerOf(course) === handler)
    return slots.flatMap(({ slot, ends }) => {
      const moves = courses.flatMap((course) => movesIn(course, slot))
      const did = moves.flatMap((move) =>
        deeds.filter(({ run }) => run === move.run).map((deed) => ({ ...move, deed, said: saidIn(deed) })),
      )
      const atEnds = did.filter(({ to }) => ends.has(to))
      const onTheWay = did.filter(({ to }) => !ends.has(to) && to !== unknownStatus)
      const isOnTheWay = ({ from, to }: Move) => !ends.has(to) && to !== unknownStatus && from !== unknownStatus
      return did
        .filter(({ to }) => to === unknownStatus)
        .flatMap(({ run, from, deed, said }) => {
          // Without a like move between known states, nothing tells what it does on the way.
          if (!moves.some((move) => isOnTheWay(move) && move.from === from)) return []
          // It passes on what it does not know.
          if ([...said].some((word) => word.includes(unknownStatus))) return []
          const alike = atEnds.filter((each) => each.deed.kind === deed.kind)
          const called = alike.find(({ to }) => to === 'cancelled')
          const other = alike.find(({ to }) => to !== 'cancelled' && (to === 'completed' || !isOpen(deed)))
          if (called === undefined || other === undefined) return []
          const words = [...called.said].filter((word) => other.said.has(word))
          const isAtEnd = words.every((word) => said.has(word))
          const isElsewhere = onTheWay.some(
            (each) => each.deed.kind === deed.kind && words.every((word) => each.said.has(word)),
          )
          if (!isAtEnd || isElsewhere) return []
          return [
            `${seen.labels.get(run.resource)}: ${run.handler} told ${deed.system} of an unknown state what it tells it of an end`,
          ]
        })
    })
  })
}

const handlerOf = ([run]: Course) => run?.handler

/** Finds tasks that were open for an approval, and that a handler ended when the code of the approval became one that it cannot know: the result says that it is approved. */
export function approvalForgotten(seen: Observations): string[] {
  const deeds = deedsIn(seen).filter(({ kind, isConfirmed }) => isConfirmed && kind.startsWith('Task '))
  return allCoursesOf(seen).flatMap((course) =>
    movesIn(course, 2).flatMap(({ run, from, to }) => {
      const [, result] = run.words
      if (to !== unknownStatus || from === '' || !isApproved({ result })) return []
      const before = deeds.filter((deed) => course.includes(deed.run) && deed.run.beganAt < run.beganAt)
      const isForgotten = deeds.some(
        (deed) =>
          deed.run === run &&
          !isOpen(deed) &&
          before.findLast(({ kind }) => kind === deed.kind)?.run.words[2] === from &&
          isOpen(before.findLast(({ kind }) => kind === deed.kind) ?? deed),
      )
      return isForgotten
        ? [
            `${seen.labels.get(run.resource)}: ${run.handler} ended its task for an approval when its code was an unknown one`,
          ]
        : []
    }),
  )
}

/** Finds ends of which a handler told otherwise for a case that had been in an unknown state for a while. */
export function toldOtherwise(seen: Observations): string[] {
  const deeds = deedsIn(seen).filter(({ isConfirmed }) => isConfirmed)
  const ends = allCoursesOf(seen).flatMap((course) => {
    const last = course.findLast(({ isDone }) => isDone)
    if (last === undefined || seen.synced.has(last.resource) || seen.linked.has(last.resource)) return []
    const entry = [...movesIn(course, 0), ...movesIn(course, 3)].findLast(
      ({ run }) => run.words.join(' ') === last.words.join(' '),
    )
    const wasUnknown = course.some(({ words }) => words.includes(unknownStatus))
    return entry === undefined ? [] : [{ course, last, entry, wasUnknown }]
  })
  return ends.flatMap(({ course, last, entry, wasUnknown }) => {
    if (!wasUnknown || last.words.includes(unknownStatus) || seen.clockChanges > 0) return []
    if (seen.unfinished.some(({ id }) => id === last.resource)) return []
    const twin = ends.find(
      (each) =>
        !each.wasUnknown &&
        each.last.handler === last.handler &&
        isLike(each.last, last) &&
        each.entry.from === entry.from &&
        each.entry.to === entry.to,
    )
    if (twin === undefined) return []
    const told = new Set(deeds.filter(({ run }) => course.includes(run)).map(signOf))
    const missing = deeds.find((deed) => deed.run === twin.entry.run && !told.has(signOf(deed)))
    if (missing === undefined) return []
    const [about, as] = [last, twin.last].map(({ resource }) => seen.labels.get(resource))
    return [
      `${about}: ${last.handler} did not tell ${missing.system} of its end what it told it of ${as}, which was in no unknown state before`,
    ]
  })
}

/** Successful runs in another state than the one before. */
function movesIn(course: Course, slot: number): Move[] {
  const done = course.filter(({ isDone }) => isDone)
  return done.flatMap((run, at) => {
    const [from = '', to = ''] = [done[at - 1]?.words[slot], run.words[slot]]
    return at === 0 || from === to ? [] : [{ run, from, to }]
  })
}

function isLike(one: HandlerRun, other: HandlerRun): boolean {
  return one.words.join(' ') === other.words.join(' ') && one.has.join(' ') === other.has.join(' ')
}

/** A task that is open for people, who may look at what is unknown. */
function isOpen({ kind, state }: Deed): boolean {
  return kind.startsWith('Task ') && state !== 'completed' && state !== 'cancelled'
}

/** Words by their field, without those of one case alone, such as ids and dates. */
function saidIn({ content }: Deed): Set<string> {
  const texts = [...textsOf(parseJson(content))].filter(([path]) => !/^(?:identifier|meta|id)\b/.test(path))
  const words = texts.flatMap(([path, text]) => text.split(/[^\w-]+/).map((word) => `${path} ${word}`))
  const flags = [...content.matchAll(/"(\w+)":(true|false|null)\b/g)].map(([, name, flag]) => `${name} ${flag}`)
  return new Set([...words, ...flags].filter((word) => !/ .*(?:\d|_[a-z]{14})/.test(word)))
}

/** Kind and words of the state that it names. */
function signOf({ kind, state = '', content, run: { words } }: Deed): string {
  const text = Object.values(Object.fromEntries(textsOf(parseJson(content)))).join(' ')
  return [kind, state, ...words.filter((word) => word !== '' && text.includes(word))].join(' ')
}
