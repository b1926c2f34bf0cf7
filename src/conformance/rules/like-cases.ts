import { isApproved } from '../../service/schemas/outcome.ts'
import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'
import { unknownStatus } from '../truth-book.ts'
import { type Course, coursesOf } from './courses.ts'
import { ownEffectsOf, serviceEffectsOf } from './own-effects.ts'
import { chartWritesOf } from './writes.ts'

/** Something that a handler did for a case, by its kind, such as `POST` to one place of a system. */
interface Deed {
  kind: string
  run: HandlerRun
  system: string
  isRepeatable: boolean
  isConfirmed: boolean
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

/** Finds kinds of effects and open tasks that a handler brought for a transfer that failed for another reason (`other`), and not for one that failed with an unknown code. */
export function unknownUnlikeOther(seen: Observations): string[] {
  const deeds = deedsIn(seen)
  const ends = coursesOf({ ...seen, unknownIds: new Set() }).flatMap((course) => {
    const last = course.findLast(({ isDone }) => isDone)
    return last === undefined ? [] : [{ course, last }]
  })
  const left = ({ course }: (typeof ends)[number]) => {
    const own = deeds.filter(({ run, isConfirmed }) => isConfirmed && course.includes(run))
    return new Map(own.map(({ kind, system, state }) => [kind, { system, state }]))
  }
  return ends.flatMap((end) => {
    const { handler, resource, words } = end.last
    if (words[4] !== unknownStatus || seen.unfinished.some(({ id }) => id === resource)) return []
    const known = ends.find(
      ({ last }) =>
        last.handler === handler &&
        last.words[4] === 'other' &&
        last.words.slice(0, 4).join(' ') === words.slice(0, 4).join(' '),
    )
    if (known === undefined) return []
    const own = left(end)
    return [...left(known)].flatMap(([kind, { system, state }]) =>
      own.has(kind) && own.get(kind)?.state === state
        ? []
        : [
            `${seen.labels.get(resource)}: ${handler} did not tell ${system} of an unknown error what it told it of another reason`,
          ],
    )
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

/** Whether it may be meant once for each patient, and the patient of the other case has had it. */
function isForPatient(
  { kind, run: { handler } }: Deed,
  [other]: Course,
  { deeds, seen }: { deeds: readonly Deed[]; seen: Observations },
): boolean {
  const cases = [
    ...new Set(
      deeds.filter((each) => each.kind === kind && each.run.handler === handler).map(({ run }) => run.resource),
    ),
  ]
  const patients = cases.map(seen.patientOf)
  return patients.includes(seen.patientOf(other?.resource ?? '')) && new Set(patients).size === patients.length
}

function deedsIn(seen: Observations): Deed[] {
  const effects = [...ownEffectsOf(seen), ...serviceEffectsOf(seen)].flatMap((effect) => {
    const { run, system, place, content, once, isRepeatable, isConfirmed } = effect
    // One that does not name its case may be meant for several.
    if (!`${place} ${content}`.includes(run.resource)) return []
    const kind = plain([system, place, once].join(' '), run)
    return [{ kind, run, system, isRepeatable, isConfirmed }]
  })
  const records = chartWritesOf(seen.calls).flatMap(({ call, resource, isDone }) => {
    const run = seen.runOf(call)
    const [name] = resource?.identifier ?? []
    if (run === undefined || resource === undefined || name === undefined) return []
    const kind = plain([resource.resourceType, name.system, name.value?.split('/').slice(1).join('/')].join(' '), run)
    const { status: state } = { ...resource } as { status?: string }
    return [{ kind, run, system: 'the chart', isRepeatable: true, isConfirmed: isDone, state }]
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
function wayOf(course: Course): string | undefined {
  const done = course.filter(({ isDone }) => isDone)
  const last = done.at(-1)
  if (last === undefined || last.words.length < 4 || last.has.includes('resubmission_info')) return undefined
  const states = done.map(({ words: [status, result = '', ...others] }) =>
    [status, isApproved({ result }) ? 'approved' : result, ...others].join(' '),
  )
  const moves = states.filter((state, at) => states[at - 1] !== state)
  return [...moves, ...last.has].join(', ')
}
