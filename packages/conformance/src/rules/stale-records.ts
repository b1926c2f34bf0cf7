import { priorAuthorizationStatuses } from 'pawl-client/schemas/prior-authorization'
import { parseJson } from '@pawl/base/parse-json'
import { comparedHandlers } from '../compare-systems.ts'
import type { Observations } from '../observations.ts'
import type { Course } from './courses.ts'
import type { OwnEffect } from './own-effects.ts'
import type { ChartWrite } from './writes.ts'

/** A record after a write: its texts by field path. */
export interface Written {
  run: Course[number]
  record: string
  system: string
  at: number
  texts: ReadonlyMap<string, string>
}

/** Positions of the status and the transfer status among a run's words. */
const slots = [0, 3] as const

/** Finds records whose text used to follow the state and now names an earlier one. */
export function leftBehind(
  course: Course,
  { effects, writes, seen }: { effects: readonly OwnEffect[]; writes: readonly ChartWrite[]; seen: Observations },
): string[] {
  // A task keeps the reason it was opened for.
  const all = writtenIn(course, { effects, writes, seen }).filter(({ record }) => !record.startsWith('Task/'))
  const done = course.filter(({ isDone }) => isDone)
  const ends = done.filter(({ words }, at) => done[at + 1]?.words.join(' ') !== words.join(' '))
  return slots.flatMap((slot) => {
    const past = new Set<string>()
    const followed = new Map<string, Set<string>>()
    return ends.flatMap((end) => {
      const word = end.words[slot] ?? ''
      const faults = heldAt(all, end.endedAt).flatMap(({ run, record, system, texts }) =>
        [...texts].flatMap(([path, text]) => {
          const said = new Set(text.split(/\W+/))
          const key = `${record} ${path}`
          const words = followed.get(key) ?? new Set()
          followed.set(key, words)
          if (said.has(word) && run.status === end.status && run.words[slot] === word) words.add(word)
          const older = [...words].find((each) => said.has(each) && past.has(each))
          const isFollowing = words.size > 1 || (text === older && isNamedState(path))
          if (said.has(word) || !isFollowing || older === undefined || word === '') return []
          const { handler, resource } = end
          return [
            `${seen.labels.get(resource)}: ${handler} left ${system} a record that says ${older} when it was ${word}`,
          ]
        }),
      )
      past.add(word)
      return faults
    })
  })
}

/** Finds records that named the patient's cost whenever it changed, and stopped doing so. */
export function costLeftBehind(
  course: Course,
  { effects, writes, seen }: { effects: readonly OwnEffect[]; writes: readonly ChartWrite[]; seen: Observations },
): string[] {
  const all = writtenIn(course, { effects, writes, seen })
  const done = course.filter(({ isDone }) => isDone)
  const ends = done.filter(({ cost }, at) => done[at + 1]?.cost !== cost)
  const followed = new Map<string, Set<string>>()
  return ends.flatMap((end) =>
    heldAt(all, end.endedAt).flatMap(({ record, system, texts }) => {
      const text = [...texts.values()].join('\n')
      const costs = followed.get(record) ?? new Set()
      followed.set(record, costs)
      if (end.cost === undefined) return []
      const isNothing = Number(end.cost.replace('$', '')) === 0
      if (isNothing && costs.size > 1 && !costs.has(unknownCost) && saysUnknown(text))
        return [
          `${seen.labels.get(end.resource)}: ${end.handler} sent ${system} an unknown patient cost when the cost is zero`,
        ]
      if (!isNothing && saysUnknown(text)) costs.add(unknownCost)
      if (isAmountIn(text, end.cost)) costs.add(end.cost)
      const older = [...costs].find((cost) => cost !== end.cost && isAmountIn(text, cost))
      if (isAmountIn(text, end.cost) || costs.size < 2 || older === undefined) return []
      return [
        `${seen.labels.get(end.resource)}: ${end.handler} left ${system} a record of the patient's cost by an earlier check`,
      ]
    }),
  )
}

/** Stands for a cost that a record calls unknown. */
const unknownCost = 'not known'

const saysUnknown = (text: string) => /\b(?:not|un) ?(?:known|available)\b|\bn\/a\b/i.test(text)

function isAmountIn(text: string, cost: string): boolean {
  return new RegExp(`(?<![\\d.])${cost.replace('$', '').replace('.', '\\.')}(?!\\d)`).test(text)
}

/** Finds tasks left open for a status that has passed. */
export function openForPassedStatus(course: Course, writes: readonly ChartWrite[], seen: Observations): string[] {
  const done = course.filter(({ isDone }) => isDone)
  const ends = done.filter(({ status }, at) => done[at + 1]?.status !== status)
  const all = writtenIn(course, { effects: [], writes, seen })
  return ends.flatMap((end) =>
    heldAt(all, end.endedAt).flatMap(({ record, texts }) => {
      const reason = texts.get('businessStatus.text') ?? ''
      const isEnded = seen.edits.some(({ reference, isEnd }) => reference === record && isEnd === true)
      const isOpen = record.startsWith('Task/') && open.has(texts.get('status') ?? '') && !isEnded
      if (!isOpen || !statuses.has(reason) || reason === end.status) return []
      return [
        `${seen.labels.get(end.resource)}: ${end.handler} left a task open for ${reason} when it was ${end.status}`,
      ]
    }),
  )
}

/** Whether the field's name says that it holds a state. */
const isNamedState = (path: string) => /(?:^|\.)(?:status|state|transfer|transfer_?status|transfer_?state)$/i.test(path)

const statuses: ReadonlySet<string> = new Set(priorAuthorizationStatuses)
const open: ReadonlySet<string> = new Set(['requested', 'received', 'accepted', 'ready', 'in-progress', 'on-hold'])

/** Everyone's writes to the lasting records that a handler wrote, in order: in own systems for its resource, and in the chart. */
export function writtenIn(
  course: Course,
  { effects, writes, seen }: { effects: readonly OwnEffect[]; writes: readonly ChartWrite[]; seen: Observations },
): Written[] {
  const [first] = course
  if (first === undefined || comparedHandlers.has(first.handler)) return []
  const records = effects.filter(
    ({ run, isRepeatable, isTaken }) => isRepeatable && isTaken && run.resource === first.resource,
  )
  const nameOf = ({ system, record }: OwnEffect) => `${system} ${record}`
  const ofCourse = new Set(records.flatMap((effect) => (course.includes(effect.run) ? nameOf(effect) : [])))
  const own = records.flatMap((effect) => {
    const { run, system, content, startedAt: at } = effect
    const record = nameOf(effect)
    return ofCourse.has(record) ? [{ run, system, record, at, texts: textsOf(parseJson(content)) }] : []
  })
  const kept = new Set(
    writes.flatMap(({ call, stored }) => {
      const run = seen.runOf(call)
      return run !== undefined && course.includes(run) ? [stored] : []
    }),
  )
  const inChart = writes.flatMap(({ call, stored }) => {
    const run = seen.runOf(call)
    // Other handlers may write the same record.
    if (run === undefined || stored === undefined || !kept.has(stored)) return []
    const { at = Infinity, body = '' } = call.done ?? {}
    return [{ run, system: 'the chart', record: stored, at, texts: textsOf(parseJson(body)) }]
  })
  return [...own, ...inChart]
}

/** The last write of each record. */
export function heldAt(all: readonly Written[], time: number): Written[] {
  const held = new Map<string, Written>()
  for (const each of all) if (each.at <= time) held.set(each.record, each)
  return [...held.values()]
}

/** All texts below a value by path, with base64 decoded. */
export function textsOf(value: unknown, path: readonly string[] = []): Map<string, string> {
  if (typeof value === 'string') {
    const isEncoded = path.at(-1) === 'data'
    return new Map([[path.join('.'), isEncoded ? Buffer.from(value, 'base64').toString('latin1') : value]])
  }
  if (typeof value !== 'object' || value === null) return new Map()
  return new Map(Object.entries(value).flatMap(([name, below]) => [...textsOf(below, [...path, name])]))
}
