import { priorAuthorizationStatuses } from '../../service/schemas/prior-authorization.ts'
import { decoded } from '../canary-search.ts'
import type { Observations } from '../observations.ts'
import { chartWritesOf, isOfKind, subjectOf } from './writes.ts'

const taskKind = 'prior-authorization-staff-task'
const open: ReadonlySet<string> = new Set(['requested', 'received', 'accepted', 'ready', 'in-progress', 'on-hold'])

/** Finds tasks that are open in the end, and ended for another PA that is in the same state, with its appeals and outreach, and went through the same states in another order. */
export function unlikeTasks(seen: Observations): string[] {
  const tasks = new Map<string, { about: string; kind: string; isOpen: boolean; handler: string }>()
  for (const { call, stored, held: resource } of chartWritesOf(seen.calls)) {
    const run = seen.runOf(call)
    if (stored === undefined || run === undefined || !isOfKind(resource, taskKind)) continue
    const about = subjectOf(resource, taskKind) ?? ''
    const kind = (resource?.identifier ?? []).map(({ value }) => value?.replace(about, '')).join(' ')
    const { status } = { ...resource } as { status?: string }
    tasks.set(stored, { about, kind, isOpen: open.has(status ?? ''), handler: run.handler })
  }
  for (const { reference } of seen.edits) tasks.delete(reference)
  const like = new Map<string, { about: string; isOpen: boolean; handler: string }[]>()
  for (const { kind, ...task } of tasks.values()) {
    const way = wayOf(task.about, seen)
    if (way === undefined) continue
    const key = `${kind} ${way}`
    like.set(key, [...(like.get(key) ?? []), task])
  }
  return [...like.values()].flatMap((group) => {
    const ended = group.find(({ isOpen }) => !isOpen)
    return ended === undefined
      ? []
      : group
          .filter(({ isOpen }) => isOpen)
          .map(
            ({ about, handler }) =>
              `${seen.labels.get(about)}: ${handler} left a task open that it ended for ${seen.labels.get(ended.about)}, which is in the same state`,
          )
  })
}

/** The states in which a PA, its appeals and its attempts ended, and all that each went through, in no order; undefined if that is not known. */
function wayOf(id: string, seen: Observations): string | undefined {
  const { labels, linked, unknownIds, synced, unfinished } = seen
  const ids = [id, ...[...linked].filter(([, to]) => to === id).map(([other]) => other)]
  const isVague = (each: string) =>
    !labels.has(each) || unknownIds.has(each) || synced.has(each) || unfinished.some((work) => work.id === each)
  if (ids.some(isVague)) return undefined
  const [own, ...others] = ids.map((each) => stateIn(each, seen))
  return [own, ...others.toSorted()].join(' | ')
}

function stateIn(id: string, { runs, histories }: Observations): string {
  const done = runs
    .filter(({ resource, isDone }) => resource === id && isDone)
    .toSorted((one, other) => one.beganAt - other.beganAt)
  const known = histories.get(id)?.statuses ?? []
  const statuses = known.length > 0 ? known : done.map(({ status }) => status)
  return [done.at(-1)?.words.join(' '), ...new Set(statuses.toSorted())].join(' ')
}

/** Finds writes that name a status of another resource which is over: an earlier run had read it, and this one did not. */
export function keptTooLong(seen: Observations): string[] {
  const { calls, runOf, labels, histories, linked } = seen
  const reads = calls.flatMap((call) => {
    const run = runOf(call)
    const id = /^\/prior-authorization\/(\w+)$/.exec(call.path)?.[1]
    return run === undefined || id === undefined || call.system !== 'service' || call.method !== 'GET'
      ? []
      : [{ run, id, at: call.startedAt }]
  })
  return calls.flatMap((call) => {
    const run = runOf(call)
    const id = run && linked.get(run.resource)
    if (run === undefined || id === undefined || call.method === 'GET' || call.system === 'service') return []
    const own = reads.filter((each) => each.id === id && each.run.handler === run.handler)
    if (own.some((each) => each.run === run) || !own.some(({ at }) => at < run.beganAt)) return []
    const times = histories.get(id)?.times ?? []
    const now = times.findLast(({ at }) => at <= run.beganAt)?.status
    const said = wordsIn(`${call.body}\n${decoded(call.body)}`)
    const older = times.find(
      ({ status, at }) => at < run.beganAt && status !== now && status !== run.status && said.has(status),
    )
    if (now === undefined || older === undefined || said.has(now) || !statuses.has(older.status)) return []
    return [
      `${labels.get(run.resource)}: ${run.handler} said ${older.status} of ${labels.get(id)} when it was ${now}, and did not read it again`,
    ]
  })
}

const statuses: ReadonlySet<string> = new Set(priorAuthorizationStatuses)

/** The statuses in a text, also with spaces. */
function wordsIn(text: string): Set<string> {
  const plain = text.toLowerCase().replaceAll('_', ' ')
  return new Set(
    [...statuses].filter((status) => new RegExp(`(?<![a-z])${status.replaceAll('_', ' ')}(?![a-z])`).test(plain)),
  )
}
