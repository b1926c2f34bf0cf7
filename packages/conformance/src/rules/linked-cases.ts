import { priorAuthorizationStatuses } from 'pawl-client/schemas/prior-authorization'
import { decoded } from '../canary-search.ts'
import { comparedHandlers } from '../compare-systems.ts'
import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'
import { chartWritesOf, isOfKind, subjectOf } from './writes.ts'

/** A task for staff as a handler left it. */
export interface StaffTask {
  about: string
  /** Its key, without the PA's id. */
  kind: string
  isOpen: boolean
  handler: string
  /** The run that wrote it last. */
  run: HandlerRun
}

/** Tasks for staff at the given time, or at the end, without those that staff changed. */
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

/** Finds tasks left open once settled although the handler ended them for another PA in the same state. Appeals and outreach count; both PAs went through the same states in another order. */
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
              `${seen.labels.get(about)}: ${handler} left open a task that it ended for ${seen.labels.get(ended.about)}, which is in the same state`,
          )
  })
}

/** The current and past states of a PA, its appeals and its outreach attempts, in no order. Undefined if unknown. */
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

/** Finds shared records whose content depends on which resource wrote last: they name other states than the record of a PA in the same state. */
export function unlikeRecords(seen: Observations): string[] {
  const records = new Map<string, { about: string; key: string; handler: string; text: string }>()
  for (const { call, stored, held } of chartWritesOf(seen.calls)) {
    const run = seen.runOf(call)
    const about = subjectOf(held)
    if (stored === undefined || run === undefined || about === undefined || held?.resourceType === 'Task') continue
    const way = comparedHandlers.has(run.handler) ? undefined : wayOf(about, seen)
    // Only a record that several resources share depends on the last writer.
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
        `${seen.labels.get(about)}: ${handler} left a record that names other states than the record of ${seen.labels.get(other[0])}, which is in the same state`,
      ]
    }),
  )
}

/** Words that only outreach attempts have. */
const attemptStates = ['responded', 'expired', 'delivered', 'failed', 'sent'] as const

/** Finds writes that name a stale status of another resource, which an earlier run had read and this run did not. */
export function staleStatusOfOther(seen: Observations): string[] {
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
      `${labels.get(run.resource)}: ${run.handler} reported ${labels.get(id)} as ${older.status} when it was ${now}, without reading it again`,
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
