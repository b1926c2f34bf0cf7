import { parseJson } from '@pawl/base/parse-json'
import { isApproved } from 'pawl-client/schemas/outcome'
import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'
import { unknownStatus } from '../truth-book.ts'
import { allCoursesOf, type Course } from './courses.ts'
import { type Act, actsIn } from './like-cases.ts'
import { textsOf } from './stale-records.ts'

/** Positions of the status and the transfer status among a run's words, with the values that are final. */
const slots = [
  { slot: 0, ends: new Set(['completed', 'failed', 'not_submitted', 'cancelled']) },
  { slot: 3, ends: new Set(['completed', 'error', 'cancelled']) },
] as const

/** A run in another state than the run before it. */
interface Move {
  run: HandlerRun
  from: string
  to: string
}

/** Finds acts in an unknown state that the handler otherwise performs only at an end: such a case may continue. */
export function unknownTakenForEnd(seen: Observations): string[] {
  const acts = actsIn(seen).filter(({ isConfirmed }) => isConfirmed)
  const all = allCoursesOf(seen)
  return [...new Set(all.map(handlerOf))].flatMap((handler) => {
    const courses = all.filter((course) => handlerOf(course) === handler)
    return slots.flatMap(({ slot, ends }) => {
      const moves = courses.flatMap((course) => movesIn(course, slot))
      const did = moves.flatMap((move) =>
        acts.filter(({ run }) => run === move.run).map((act) => ({ ...move, act, said: saidIn(act) })),
      )
      const atEnds = did.filter(({ to }) => ends.has(to))
      const onTheWay = did.filter(({ to }) => !ends.has(to) && to !== unknownStatus)
      const isOnTheWay = ({ from, to }: Move) => !ends.has(to) && to !== unknownStatus && from !== unknownStatus
      return did
        .filter(({ to }) => to === unknownStatus)
        .flatMap(({ run, from, act, said }) => {
          // Without a comparable move between known states, the handler's acts on the way are unknown.
          if (!moves.some((move) => isOnTheWay(move) && move.from === from)) return []
          // It passes the unknown value on.
          if ([...said].some((word) => word.includes(unknownStatus))) return []
          const alike = atEnds.filter((each) => each.act.kind === act.kind)
          const called = alike.find(({ to }) => to === 'cancelled')
          const other = alike.find(({ to }) => to !== 'cancelled' && (to === 'completed' || !isOpen(act)))
          if (called === undefined || other === undefined) return []
          const words = [...called.said].filter((word) => other.said.has(word))
          const isAtEnd = words.every((word) => said.has(word))
          const isElsewhere = onTheWay.some(
            (each) => each.act.kind === act.kind && words.every((word) => each.said.has(word)),
          )
          if (!isAtEnd || isElsewhere) return []
          return [
            `${seen.labels.get(run.resource)}: ${run.handler} sent ${act.system} for an unknown state what it sends at an end`,
          ]
        })
    })
  })
}

const handlerOf = ([run]: Course) => run?.handler

/** Finds tasks for an approval that a handler ended when the approval's code became unknown: the result still says that it is approved. */
export function approvalTaskEnded(seen: Observations): string[] {
  const acts = actsIn(seen).filter(({ kind, isConfirmed }) => isConfirmed && kind.startsWith('Task '))
  return allCoursesOf(seen).flatMap((course) =>
    movesIn(course, 2).flatMap(({ run, from, to }) => {
      const [, result] = run.words
      if (to !== unknownStatus || from === '' || !isApproved({ result })) return []
      const before = acts.filter((act) => course.includes(act.run) && act.run.beganAt < run.beganAt)
      const isForgotten = acts.some(
        (act) =>
          act.run === run &&
          !isOpen(act) &&
          before.findLast(({ kind }) => kind === act.kind)?.run.words[2] === from &&
          isOpen(before.findLast(({ kind }) => kind === act.kind) ?? act),
      )
      return isForgotten
        ? [
            `${seen.labels.get(run.resource)}: ${run.handler} ended its task for an approval when the code became unknown`,
          ]
        : []
    }),
  )
}

/** Finds ends that a handler reported differently for a case that had been in an unknown state for a while. */
export function endReportedDifferently(seen: Observations): string[] {
  const acts = actsIn(seen).filter(({ isConfirmed }) => isConfirmed)
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
    const told = new Set(acts.filter(({ run }) => course.includes(run)).map(signOf))
    const missing = acts.find((act) => act.run === twin.entry.run && !told.has(signOf(act)))
    if (missing === undefined) return []
    const [about, as] = [last, twin.last].map(({ resource }) => seen.labels.get(resource))
    return [
      `${about}: ${last.handler} did not send at its end the ${missing.what} that it sent for ${as}, which was never in an unknown state`,
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

/** An open task for staff, who may look into unknown values. */
function isOpen({ kind, state }: Act): boolean {
  return kind.startsWith('Task ') && state !== 'completed' && state !== 'cancelled'
}

/** Words by field, without those of a single case, such as ids and dates. */
function saidIn({ content }: Act): Set<string> {
  const texts = [...textsOf(parseJson(content))].filter(([path]) => !/^(?:identifier|meta|id)\b/.test(path))
  const words = texts.flatMap(([path, text]) => text.split(/[^\w-]+/).map((word) => `${path} ${word}`))
  const flags = [...content.matchAll(/"(\w+)":(true|false|null)\b/g)].map(([, name, flag]) => `${name} ${flag}`)
  return new Set([...words, ...flags].filter((word) => !/ .*(?:\d|_[a-z]{14})/.test(word)))
}

/** Its kind, and the words of the state that it names. */
function signOf({ kind, state = '', content, run: { words } }: Act): string {
  const text = Object.values(Object.fromEntries(textsOf(parseJson(content)))).join(' ')
  return [kind, state, ...words.filter((word) => word !== '' && text.includes(word))].join(' ')
}
