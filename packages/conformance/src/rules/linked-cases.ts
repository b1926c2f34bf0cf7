import { priorAuthorizationStatuses } from 'pawl-client/schemas/prior-authorization'
import { decoded } from '../canary-search.ts'
import { comparedHandlers } from '../compare-systems.ts'
import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'
import { chartWritesOf, isOfKind, subjectOf } from './writes.ts'

/** A task for staff as a handler left it. */
export interface StaffTask {
  about: string
  /** Its key, without the id of the PA. */
  kind: string
  isOpen: boolean
  handler: string
  /** The run that wrote it last. */
  run: HandlerRun
}

/** The tasks for staff at a time, or in the end, without those that staff changed. */
export function tasksIn(seen: Observations, until = Infinity): StaffTask[] {
  const tasks = new Map<string, StaffTask>()
  for (const { call, stored, held: resource } of chartWritesOf(seen.calls)) {
    const run = seen.runOf(call)
    if ((call.done?.at ?? until) > until) continue
    if (stored === undefined || run === undefined || !isOfKind(resource, taskKind)) continue
    const about = subjectOf(resource, taskKind) ?? ''
    const kind = (resource?.identifier ?? []).map(({ value }) => value?.replace(about, '')).join(' ')
    const { status } = { ...resource } as { status?: string }
    tasks.set(stored, { about, kind, isOpen: open.has(status ?? ''), handler: run.handler, run })
  }
  for (const { reference } of seen.edits) tasks.delete(reference)
  return [...tasks.values()]
}

const taskKind = 'prior-authorization-staff-task'
const open: ReadonlySet<string> = new Set(['requested', 'received', 'accepted', 'ready', 'in-progress', 'on-hold'])

/** Finds tasks that are open once all has settled, and ended for another PA that is in the same state, with its appeals and outreach, and went through the same states in another order. */
export function unlikeTasks(seen: Observations): string[] {
  const isOfStaff = chartWritesOf(seen.calls).some(({ held }) => isOfKind(held, taskKind))
  return isOfStaff ? [...new Set([...seen.settledAt, Infinity].flatMap((until) => unlikeTasksAt(seen, until)))] : []
}

function unlikeTasksAt(seen: Observations, until: number): string[] {
  const like = new Map<string, StaffTask[]>()
  for (const task of tasksIn(seen, until)) {
    const way = wayOf(task.about, seen, until)
    if (way === undefined) continue
    const key = `${task.kind} ${way}`
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

/** The states in which a PA, its appeals and its attempts are, and all that each went through, in no order; undefined if that is not known. */
function wayOf(id: string, seen: Observations, until = Infinity): string | undefined {
  const { labels, linked, unknownIds, synced, unfinished } = seen
  const ids = [id, ...[...linked].filter(([, to]) => to === id).map(([other]) => other)]
  const isVague = (each: string) =>
    !labels.has(each) || unknownIds.has(each) || synced.has(each) || unfinished.some((work) => work.id === each)
  if (ids.some(isVague)) return undefined
  const [own, ...others] = ids.map((each) => stateIn(each, seen, until))
  return [own, ...others.toSorted()].join(' | ')
}

function stateIn(id: string, { runs, histories }: Observations, until: number): string {
  const done = runs
    .filter(({ resource, isDone, endedAt }) => resource === id && isDone && endedAt <= until)
    .toSorted((one, other) => one.beganAt - other.beganAt)
  const known = (histories.get(id)?.times ?? []).filter(({ at }) => at <= until)
  const statuses = known.length > 0 ? known.map(({ status }) => status) : done.map(({ status }) => status)
  const last = done.at(-1)
  return [last?.words.join(' '), last?.thread, ...new Set(statuses.toSorted())].join(' ')
}

/** Finds records that name other states than those of another PA that is in the same state, with its appeals and outreach: the last one of several resources that share a record wins. */
export function unlikeRecords(seen: Observations): string[] {
  const records = new Map<string, { about: string; key: string; handler: string; text: string }>()
  for (const { call, stored, held } of chartWritesOf(seen.calls)) {
    const run = seen.runOf(call)
    const about = subjectOf(held)
    if (stored === undefined || run === undefined || about === undefined || held?.resourceType === 'Task') continue
    const way = comparedHandlers.has(run.handler) ? undefined : wayOf(about, seen)
    // Only one that resources share depends on which was last.
    if (way === undefined || !seen.linked.has(run.resource)) continue
    const name = (held?.identifier ?? []).map(({ system, value }) => `${system}|${value?.replace(about, '')}`).join(' ')
    const key = [run.handler, name.replaceAll(/\w*\d\w*/g, '#'), way].join(' ')
    const text = Buffer.from(call.done?.body ?? '').toString()
    records.set(stored, { about, key, handler: run.handler, text: `${text}\n${decoded(text)}` })
  }
  const like = new Map<string, Map<string, { handler: string; states: Set<string> }>>()
  for (const { about, key, handler, text } of records.values()) {
    const group = like.get(key) ?? new Map<string, { handler: string; states: Set<string> }>()
    like.set(key, group)
    const { states } = group.get(about) ?? { states: new Set<string>() }
    for (const state of attemptStates) if (new RegExp(`\\b${state}\\b`).test(text)) states.add(state)
    group.set(about, { handler, states })
  }
  return [...like.values()].flatMap((group) =>
    [...group].flatMap(([about, { handler, states }]) => {
      const other = [...group].find(([, each]) => [...each.states].some((state) => !states.has(state)))
      if (other === undefined) return []
      return [
        `${seen.labels.get(about)}: ${handler} left a record that names other states than that of ${seen.labels.get(other[0])}, which is in the same state`,
      ]
    }),
  )
}

/** Words that only attempts have. */
const attemptStates = ['responded', 'expired', 'delivered', 'failed', 'sent'] as const

/** Finds writes that name a status of another resource which is over: an earlier run had read it, and this one did not. */
export function keptTooLong(seen: Observations): string[] {
  const { calls, runOf, labels, histories, linked, verifying } = seen
  const reads = calls.flatMap((call) => {
    const run = runOf(call)
    const id = /^\/(?:prior-authorization|benefit-verification)\/(\w+)$/.exec(call.path)?.[1]
    return run === undefined || id === undefined || call.system !== 'service' || call.method !== 'GET'
      ? []
      : [{ run, id, at: call.startedAt }]
  })
  return calls.flatMap((call) => {
    const run = runOf(call)
    const id = run && (linked.get(run.resource) ?? verifying.get(run.resource))
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

const statuses: ReadonlySet<string> = new Set([...priorAuthorizationStatuses, 'pending'])

/** The statuses in a text, also with spaces. */
function wordsIn(text: string): Set<string> {
  const plain = text.toLowerCase().replaceAll('_', ' ')
  return new Set(
    [...statuses].filter((status) => new RegExp(`(?<![a-z])${status.replaceAll('_', ' ')}(?![a-z])`).test(plain)),
  )
}
