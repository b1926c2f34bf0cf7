import { isApproved } from 'pawl-client/schemas/outcome'
import { describeRequest } from '../describe-request.ts'
import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'
import { unknownStatus } from '../truth-book.ts'
import { allCoursesOf, type Course, coursesOf } from './courses.ts'
import { isAdoption, type OwnEffect, ownEffectsOf, serviceEffectsOf } from './own-effects.ts'
import { chartWritesOf, hasFailed } from './writes.ts'

/** One act of a handler on a case. `kind` groups comparable acts, such as `POST` to one place of a system. */
export interface Act {
  kind: string
  /** The record, or the place of the effect. */
  place: string
  /** For the report, such as `POST /cases to desk.example`. */
  what: string
  /** The effect on an own system or the service. */
  effect?: OwnEffect
  run: HandlerRun
  system: string
  isRepeatable: boolean
  isConfirmed: boolean
  /** The content as sent. */
  content: string
  /** The status of a chart record. */
  state?: string | undefined
}

/** Finds kinds of effects that a handler performed for one case but never, or more often, for another case with the same course. */
export function unlikeCases(seen: Observations): string[] {
  // A clock change may explain a different act.
  if (seen.clockChanges > 0) return []
  const acts = actsIn(seen)
  const like = new Map<string, Course[]>()
  for (const course of coursesOf(seen)) {
    const way = wayOf(course)
    const [run] = course
    // Other attempts for a PA, or a preceding PA, may explain it too.
    if (run === undefined || way === undefined || seen.synced.has(run.resource) || seen.linked.has(run.resource))
      continue
    const key = `${run.handler} ${way}`
    like.set(key, [...(like.get(key) ?? []), course])
  }
  return [...like.values()].flatMap((courses) =>
    courses.flatMap((one) => courses.flatMap((other) => (one === other ? [] : missingIn(other, { one, acts, seen })))),
  )
}

/** Where a run's words hold the result code and the transfer error, which code stands for all others, and how many codes must lead to the same act. */
const codes = [
  { slot: 2, other: 'unknown', least: 2, what: 'code' },
  { slot: 4, other: 'other', least: 1, what: 'error' },
] as const

/** Finds effects and open tasks that a handler performed for known denial codes, or for a transfer error of `other`, but not for an unknown code. */
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
      return [...(model?.left ?? [])].flatMap(([kind, { what: act, state }]) => {
        const alike = new Set(
          known.flatMap(({ last, left }) =>
            left.get(kind)?.state === state && left.has(kind) ? last.words[slot] : [],
          ),
        )
        return alike.size < least || (own.has(kind) && own.get(kind)?.state === state)
          ? []
          : [
              `${seen.labels.get(resource)}: ${handler} did not send for an unknown ${what} the ${act} that it sent for another reason`,
            ]
      })
    }),
  )
}

/** Finds acts on a cancelled BV that only some completed BVs got: a cancelled BV has no findings. */
export function cancelledLikeFindings(seen: Observations): string[] {
  const ends = leftIn(seen).filter(({ last }) => seen.labels.get(last.resource)?.startsWith('BV') === true)
  return ends.flatMap(({ last: { handler, resource, status }, left }) => {
    if (status !== 'cancelled') return []
    const completed = ends.filter(({ last }) => last.handler === handler && last.status === 'completed')
    return [...left].flatMap(([kind, { system, state }]) => {
      const having = completed.filter((each) => each.left.has(kind) && each.left.get(kind)?.state === state)
      return having.length === 0 || having.length === completed.length
        ? []
        : [
            `${seen.labels.get(resource)}: ${handler} sent ${system} for a cancelled BV what it sends for some findings only`,
          ]
    })
  })
}

/** Each handler's last act of each kind for each resource. */
export function leftIn(seen: Observations) {
  const acts = actsIn(seen).filter(({ isConfirmed }) => isConfirmed)
  return allCoursesOf(seen).flatMap((course) => {
    const last = course.findLast(({ isDone }) => isDone)
    if (last === undefined) return []
    const own = acts.filter(({ run }) => course.includes(run))
    return [{ last, left: new Map(own.map((act) => [act.kind, act])) }]
  })
}

/** Finds acts for `one` that `other` lacks or got more often. */
function missingIn(
  other: Course,
  { one, acts, seen }: { one: Course; acts: readonly Act[]; seen: Observations },
): string[] {
  const own = acts.filter(({ run }) => one.includes(run))
  const others = acts.filter(({ run }) => other.includes(run))
  const effects = ownEffectsOf(seen).filter(({ run }) => other.includes(run))
  const [about = '', as = ''] = [other, one].map(([run]) => seen.labels.get(run?.resource ?? ''))
  return own.flatMap((act) => {
    const { kind, run, what, effect } = act
    const same = others.filter((each) => each.kind === kind)
    // A handler may act differently after a failure, for example involve staff.
    if (same.length === 0 && hasMetFault(run, seen)) return []
    if (same.length === 0 && effect !== undefined && effects.some((each) => isAdoption(each, effect))) return []
    if (same.length === 0 && !isForPatient(act, other, { acts, seen }))
      return [`${about}: ${run.handler} did not send the ${what} that it sent for ${as}, which took the same course`]
    const isOnce = own.filter((each) => each.kind === kind).length === 1
    // The system drops a copy under the same id.
    const count = new Set(
      same.flatMap((each) => (each.isRepeatable || !each.isConfirmed ? [] : [each.effect?.key ?? each])),
    ).size
    return isOnce && count > 1
      ? [
          `${about}: ${run.handler} sent the ${what} ${count} times that it sent once for ${as}, which took the same course`,
        ]
      : []
  })
}

const faulted = new WeakMap<Observations, ReadonlySet<HandlerRun>>()

/** Whether one of the run's requests got no full answer, a 429 or a 5xx. */
function hasMetFault(run: HandlerRun, seen: Observations): boolean {
  const known =
    faulted.get(seen) ?? new Set(seen.calls.flatMap((call) => (hasFailed(call) ? (seen.runOf(call) ?? []) : [])))
  faulted.set(seen, known)
  return known.has(run)
}

/** Whether the act may be meant once per patient, and the other case's patient already had it. */
function isForPatient(
  { kind, run: { handler } }: Act,
  [other]: Course,
  { acts, seen }: { acts: readonly Act[]; seen: Observations },
): boolean {
  const places = new Map<number, Set<string>>()
  for (const { kind: each, place, run, isConfirmed } of acts) {
    // The place of an unconfirmed act is unknown.
    if (each !== kind || run.handler !== handler || !isConfirmed) continue
    const patient = seen.patientOf(run.resource)
    places.set(patient, (places.get(patient) ?? new Set()).add(place))
  }
  // Concurrent runs may each find the act missing and perform it at the same place.
  return places.has(seen.patientOf(other?.resource ?? '')) && [...places.values()].every(({ size }) => size === 1)
}

/** Every act of a handler that names its case. */
export function actsIn(seen: Observations): Act[] {
  const effects = [...ownEffectsOf(seen), ...serviceEffectsOf(seen)].flatMap((effect) => {
    const { run, system, place, content, once, isRepeatable, isConfirmed } = effect
    // An effect that does not name its case may be meant for several.
    if (!`${place} ${content}`.includes(run.resource)) return []
    const kind = plain([system, place, once].join(' '), run)
    return [{ kind, place, what: describeRequest(effect), effect, run, system, isRepeatable, isConfirmed, content }]
  })
  const records = chartWritesOf(seen.calls).flatMap(({ call, stored: place = call.path, resource, isDone }) => {
    const run = seen.runOf(call)
    const [name] = resource?.identifier ?? []
    if (run === undefined || resource === undefined || name === undefined) return []
    const kind = plain([resource.resourceType, name.system, name.value?.split('/').slice(1).join('/')].join(' '), run)
    const { status: state } = { ...resource } as { status?: string }
    const known = { kind, place, run, content: call.body, state }
    const what = `${resource.resourceType} in the chart`
    return [{ ...known, what, system: 'the chart', isRepeatable: true, isConfirmed: isDone }]
  })
  return [...effects, ...records]
}

/** Drops ids (some have no digit), numbers and the words of an outcome. */
function plain(text: string, { resource, words }: HandlerRun): string {
  const [, result = '', code = '', , error = ''] = words
  const named = [resource, result, code, error].filter((word) => word !== '')
  return named
    .reduce((left, word) => left.replaceAll(word, '#'), text)
    .replaceAll(/[\w-]*(?:\d|_[a-z]{14})[\w-]*/g, '#')
}

/** The states of a PA as the handler saw them, and its fields at the end. Undefined for an appeal, which may depend on the earlier PA. */
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
