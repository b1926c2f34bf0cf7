import { isApproved } from 'pawl-client/schemas/outcome'
import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'
import { unknownStatus } from '../truth-book.ts'
import { allCoursesOf, type Course, coursesOf } from './courses.ts'
import { ownEffectsOf, serviceEffectsOf } from './own-effects.ts'
import { chartWritesOf, hasFailed } from './writes.ts'

/** Something that a handler did for a case, by its kind, such as `POST` to one place of a system. */
export interface Deed {
  kind: string
  /** The record, or the place of the effect. */
  place: string
  run: HandlerRun
  system: string
  isRepeatable: boolean
  isConfirmed: boolean
  /** What it said, as sent. */
  content: string
  /** The status of a record of the chart. */
  state?: string | undefined
}

/** Finds kinds of effects that a handler brought for one case, and for another of the same course never, or more often. */
export function unlikeCases(seen: Observations): string[] {
  // Time may be a reason to act otherwise.
  if (seen.clockChanges > 0) return []
  const deeds = deedsIn(seen)
  const like = new Map<string, Course[]>()
  for (const course of coursesOf(seen)) {
    const way = wayOf(course)
    const [run] = course
    // The other attempts for a PA, and a PA before, may be a reason, too.
    if (run === undefined || way === undefined || seen.synced.has(run.resource) || seen.linked.has(run.resource))
      continue
    const key = `${run.handler} ${way}`
    like.set(key, [...(like.get(key) ?? []), course])
  }
  return [...like.values()].flatMap((courses) =>
    courses.flatMap((one) => courses.flatMap((other) => (one === other ? [] : missingIn(other, { one, deeds, seen })))),
  )
}

/** Codes of a result and of a transfer's error among the words of a run, with the one that stands for all others, and how many codes must have brought the same. */
const codes = [
  { slot: 2, other: 'unknown', least: 2, what: 'code' },
  { slot: 4, other: 'other', least: 1, what: 'error' },
] as const

/** Finds kinds of effects and open tasks that a handler brought for a denial of other codes, or a transfer that failed for another reason (`other`), and not for one with an unknown code. */
export function unknownUnlikeOther(seen: Observations): string[] {
  const ends = leftIn(seen)
  return codes.flatMap(({ slot, other, least, what }) =>
    ends.flatMap(({ last: { handler, resource, words }, left: own }) => {
      if (words[slot] !== unknownStatus || seen.unfinished.some(({ id }) => id === resource)) return []
      const besides = (all: readonly string[]) => all.toSpliced(slot, 1).join(' ')
      const known = ends.filter(
        ({ last }) =>
          last.handler === handler && besides(last.words) === besides(words) && last.words[slot] !== unknownStatus,
      )
      const model = known.find(({ last }) => last.words[slot] === other)
      return [...(model?.left ?? [])].flatMap(([kind, { system, state }]) => {
        const alike = new Set(
          known.flatMap(({ last, left }) =>
            left.get(kind)?.state === state && left.has(kind) ? last.words[slot] : [],
          ),
        )
        return alike.size < least || (own.has(kind) && own.get(kind)?.state === state)
          ? []
          : [
              `${seen.labels.get(resource)}: ${handler} did not tell ${system} of an unknown ${what} what it told it of another reason`,
            ]
      })
    }),
  )
}

/** Finds what a handler left for a BV that was cancelled, and of those that were completed only for some: it has no findings. */
export function foundInNothing(seen: Observations): string[] {
  const ends = leftIn(seen).filter(({ last }) => seen.labels.get(last.resource)?.startsWith('BV') === true)
  return ends.flatMap(({ last: { handler, resource, status }, left }) => {
    if (status !== 'cancelled') return []
    const completed = ends.filter(({ last }) => last.handler === handler && last.status === 'completed')
    return [...left].flatMap(([kind, { system, state }]) => {
      const having = completed.filter((each) => each.left.has(kind) && each.left.get(kind)?.state === state)
      return having.length === 0 || having.length === completed.length
        ? []
        : [
            `${seen.labels.get(resource)}: ${handler} told ${system} of a cancelled BV what it told it of some findings alone`,
          ]
    })
  })
}

/** What each handler left for each resource: the last state of each kind. */
export function leftIn(seen: Observations) {
  const deeds = deedsIn(seen).filter(({ isConfirmed }) => isConfirmed)
  return allCoursesOf(seen).flatMap((course) => {
    const last = course.findLast(({ isDone }) => isDone)
    if (last === undefined) return []
    const own = deeds.filter(({ run }) => course.includes(run))
    return [{ last, left: new Map(own.map((deed) => [deed.kind, deed])) }]
  })
}

/** Finds what was done in `one`, and in `other` not or more often. */
function missingIn(
  other: Course,
  { one, deeds, seen }: { one: Course; deeds: readonly Deed[]; seen: Observations },
): string[] {
  const own = deeds.filter(({ run }) => one.includes(run))
  const others = deeds.filter(({ run }) => other.includes(run))
  const [about = '', as = ''] = [other, one].map(([run]) => seen.labels.get(run?.resource ?? ''))
  return own.flatMap((deed) => {
    const { kind, run, system } = deed
    const same = others.filter((each) => each.kind === kind)
    // After a failure, it may do something else, such as ask people.
    if (same.length === 0 && hasMetFault(run, seen)) return []
    if (same.length === 0 && !isForPatient(deed, other, { deeds, seen }))
      return [`${about}: ${run.handler} did not tell ${system} what it told it of ${as}, which took the same course`]
    const isOnce = own.filter((each) => each.kind === kind).length === 1
    const count = same.filter(({ isRepeatable, isConfirmed }) => !isRepeatable && isConfirmed).length
    return isOnce && count > 1
      ? [
          `${about}: ${run.handler} told ${system} ${count} times what it told it once of ${as}, which took the same course`,
        ]
      : []
  })
}

const faulted = new WeakMap<Observations, ReadonlySet<HandlerRun>>()

/** Whether a request of the run was refused for the moment, or not answered. */
function hasMetFault(run: HandlerRun, seen: Observations): boolean {
  const known =
    faulted.get(seen) ?? new Set(seen.calls.flatMap((call) => (hasFailed(call) ? (seen.runOf(call) ?? []) : [])))
  faulted.set(seen, known)
  return known.has(run)
}

/** Whether it may be meant once for each patient, and the patient of the other case has had it. */
function isForPatient(
  { kind, run: { handler } }: Deed,
  [other]: Course,
  { deeds, seen }: { deeds: readonly Deed[]; seen: Observations },
): boolean {
  const places = new Map<number, Set<string>>()
  for (const { kind: each, place, run, isConfirmed } of deeds) {
    // The place of what no system took is not known.
    if (each !== kind || run.handler !== handler || !isConfirmed) continue
    const patient = seen.patientOf(run.resource)
    places.set(patient, (places.get(patient) ?? new Set()).add(place))
  }
  // Runs at the same time may each find that it is missing, and bring it to the same place.
  return places.has(seen.patientOf(other?.resource ?? '')) && [...places.values()].every(({ size }) => size === 1)
}

/** All that handlers did and that names its case. */
export function deedsIn(seen: Observations): Deed[] {
  const effects = [...ownEffectsOf(seen), ...serviceEffectsOf(seen)].flatMap((effect) => {
    const { run, system, place, content, once, isRepeatable, isConfirmed } = effect
    // One that does not name its case may be meant for several.
    if (!`${place} ${content}`.includes(run.resource)) return []
    const kind = plain([system, place, once].join(' '), run)
    return [{ kind, place, run, system, isRepeatable, isConfirmed, content }]
  })
  const records = chartWritesOf(seen.calls).flatMap(({ call, stored: place = call.path, resource, isDone }) => {
    const run = seen.runOf(call)
    const [name] = resource?.identifier ?? []
    if (run === undefined || resource === undefined || name === undefined) return []
    const kind = plain([resource.resourceType, name.system, name.value?.split('/').slice(1).join('/')].join(' '), run)
    const { status: state } = { ...resource } as { status?: string }
    const known = { kind, place, run, content: call.body, state }
    return [{ ...known, system: 'the chart', isRepeatable: true, isConfirmed: isDone }]
  })
  return [...effects, ...records]
}

/** Without ids, some of which have no digit, numbers and the words of an outcome. */
function plain(text: string, { resource, words }: HandlerRun): string {
  const [, result = '', code = '', , error = ''] = words
  const named = [resource, result, code, error].filter((word) => word !== '')
  return named
    .reduce((left, word) => left.replaceAll(word, '#'), text)
    .replaceAll(/[\w-]*(?:\d|_[a-z]{14})[\w-]*/g, '#')
}

/** The states through which a PA went, as the handler saw them, and what it has in the end; undefined for an appeal, which may depend on the PA before. */
export function wayOf(course: Course): string | undefined {
  const done = course.filter(({ isDone }) => isDone)
  const last = done.at(-1)
  if (last === undefined || last.words.length < 4 || last.has.includes('resubmission_info')) return undefined
  const states = done.map(({ words: [status, result = '', ...others] }) =>
    [status, isApproved({ result }) ? 'approved' : result, ...others].join(' '),
  )
  const moves = states.filter((state, at) => states[at - 1] !== state)
  return [...moves, ...last.has].join(', ')
}
