import { parseJson } from '@pawl/base/parse-json'
import { hostOf } from '../describe-request.ts'
import type { Observations } from '../observations.ts'
import type { Call } from '@pawl/testing/lines/line'
import type { Course } from './courses.ts'
import { type OwnEffect, ownEffectsOf, serviceEffectsOf } from './own-effects.ts'
import { textsOf, type Written } from './stale-records.ts'
import { hasFailed } from './writes.ts'

const pathOf = (path: string) => path.split('?')[0] ?? ''

const known = new WeakMap<Observations, ReadonlySet<string>>()

/** Paths to which handlers posted records. Unlike a message, such as a chat line, a record has an id in the answer, and some handler reads the path or a record below it, or changes one. */
function recordPathsOf(seen: Observations): ReadonlySet<string> {
  const paths = known.get(seen) ?? readRecordPaths(seen)
  known.set(seen, paths)
  return paths
}

function readRecordPaths(seen: Observations): ReadonlySet<string> {
  const others = seen.calls.filter((call) => call.system === 'own' && seen.runOf(call) !== undefined)
  const posted = new Set(ownEffectsOf(seen).flatMap(({ created, record }) => (created === undefined ? [] : record)))
  const isUsed = (place: string) =>
    others.some(({ method, path }) => isBelow(path, place) || (method !== 'POST' && pathOf(path) === pathOf(place)))
  return new Set([...posted].filter(isUsed).map(pathOf))
}

const isBelow = (path: string, place: string) => path.startsWith(`${pathOf(place)}/`)

/** The records of this case that a handler posted to own systems, after each change. Those at one path count as one, since a later record may replace an earlier one. */
export function postedIn(course: Course, seen: Observations): Written[] {
  const paths = [...recordPathsOf(seen)]
  const effects = ownEffectsOf(seen).filter(({ run, isTaken }) => isTaken && run.resource === course[0]?.resource)
  const own = paths.filter((path) =>
    effects.some(
      ({ run, created, record }) => created !== undefined && pathOf(record) === path && course.includes(run),
    ),
  )
  return effects.flatMap(({ run, system, record, content, startedAt: at }) => {
    const path = own.find((each) => pathOf(record) === each || isBelow(record, each))
    return path === undefined ? [] : [{ run, system, record: `POST ${path}`, at, texts: textsOf(parseJson(content)) }]
  })
}

/** Finds effects without a key that were taken, without an answer or by a process that was killed before it could record them, and that were sent again unread: at the service by the same run, in own systems a posted record by any run for the case. */
export function repeatedWithoutReading(seen: Observations): string[] {
  const paths = recordPathsOf(seen)
  const posted = ownEffectsOf(seen).filter(({ created, record }) => created !== undefined && paths.has(pathOf(record)))
  return [...postedAgain(posted, seen), ...postedAgain(serviceEffectsOf(seen), seen)]
}

function postedAgain(effects: readonly OwnEffect[], seen: Observations): string[] {
  return effects.flatMap((effect, at) => {
    const { run, system, place, content, key, isRepeatable, isTaken, isConfirmed } = effect
    const isRecorded = isConfirmed && run.endedAt < Infinity
    if (key !== undefined || isRepeatable || !isTaken || isRecorded) return []
    const isService = system === 'the service'
    const next = effects
      .slice(at + 1)
      .find((each) => each.place === place && (isService ? each.run === run : each.run.resource === run.resource))
    if (next?.content !== content || !next.isTaken || isRead(effect, next, seen)) return []
    return [
      `${seen.labels.get(run.resource)}: ${next.run.handler} repeated a request to ${system} after a lost answer, without reading first`,
    ]
  })
}

/** Whether a run for the case read the system between two effects, or deleted there. */
function isRead({ run, system, startedAt }: OwnEffect, next: OwnEffect, { calls, runOf }: Observations): boolean {
  return calls.some(
    (call) =>
      call.startedAt > startedAt &&
      call.startedAt < next.startedAt &&
      systemOf(call) === system &&
      runOf(call)?.resource === run.resource &&
      (['GET', 'HEAD', 'DELETE'].includes(call.method) || searches.test(call.path)) &&
      !hasFailed(call),
  )
}

const systemOf = ({ system, path }: Call) => (system === 'service' ? 'the service' : hostOf(path))

/** Some systems search by POST. */
const searches = /search|query|find|lookup|graphql/i
