import { parseJson } from '@pawl/base/parse-json'
import { comparedHandlers } from '../compare-systems.ts'
import type { HandlerRun } from '../handler-runs.ts'
import type { Item, Observations } from '../observations.ts'
import type { Course } from './courses.ts'
import type { OwnEffect } from './own-effects.ts'
import { textsOf } from './stale-records.ts'
import type { ChartWrite } from './writes.ts'

/** A text that identifies exactly one item. */
interface Told {
  run: HandlerRun
  item: Item
  /** Key of the record or effect, without the resource's id. */
  key: string
  isRepeatable: boolean
}

/** Finds list items (messages, drugs) that a handler skipped although it sent others like them one by one. A handler may be meant only for items with files, or only for items added after its first run. */
export function leftOutItems(
  courses: readonly Course[],
  { effects, writes, seen }: { effects: readonly OwnEffect[]; writes: readonly ChartWrite[]; seen: Observations },
): string[] {
  const byHandler = new Map<string, Course[]>()
  for (const course of courses) {
    const { handler = '' } = course[0] ?? {}
    // The comparison with the service covers messages in the chart.
    if (!comparedHandlers.has(handler)) byHandler.set(handler, [...(byHandler.get(handler) ?? []), course])
  }
  return [...byHandler.values()].flatMap((own) => {
    const texts = tellingsOf(own.flat(), { effects, writes, seen })
    const told = texts.flatMap(({ run, key, isRepeatable, items }) =>
      kinds.flatMap((kind): Told[] => {
        const [item, ...others] = items.filter((each) => each.kind === kind)
        return item === undefined || others.some(({ name }) => name !== item.name)
          ? []
          : [{ run, key, isRepeatable, item }]
      }),
    )
    return own.flatMap((course) => {
      const run = course.findLast(({ isDone }) => isDone)
      if (run === undefined || isUnfinished(run, seen)) return []
      const named = new Set(heldIn(texts.filter((text) => course.includes(text.run))).flatMap(({ items }) => items))
      const left = itemsFor(course, seen).filter((item) => !named.has(item) && isDue(item, { course, told, seen }))
      return left.length === 0
        ? []
        : [
            `${seen.labels.get(run.resource)}: ${run.handler} sent some ${left[0]?.kind === 'fax' ? 'faxe' : left[0]?.kind}s one by one, and left out ${left.length} others`,
          ]
    })
  })
}

const kinds = ['message', 'file', 'call', 'fax', 'drug'] as const

/** Without items whose record later names other items of that kind. */
function heldIn<T extends Pick<Told, 'key' | 'isRepeatable'> & { items: readonly Item[] }>(texts: readonly T[]): T[] {
  return texts.filter(
    ({ key, isRepeatable, items }, at) =>
      !isRepeatable ||
      key === '' ||
      !texts
        .slice(at + 1)
        .some((later) => later.key === key && later.items.some(({ kind }) => kind === items[0]?.kind)),
  )
}

/** Whether the handler would send the item as it sends similar ones: two of one resource, one in its own record, or the same item of another patient. */
function isDue(item: Item, { course, told, seen }: { course: Course; told: readonly Told[]; seen: Observations }) {
  const isLike = (other: Item) => other.kind === item.kind && other.like === item.like
  const like = told.filter((each) => isLike(each.item))
  const here = like.filter(({ run }) => course.includes(run))
  const isOther = (one: Told, another: Told) =>
    one.item.name !== another.item.name && (!one.isRepeatable || one.key !== another.key)
  if (here.some((one) => here.some((another) => isOther(one, another)))) return true
  if (
    !hasKeysOfItems(
      told.filter((each) => each.item.kind === item.kind),
      seen,
    )
  )
    return false
  if (here.some((each) => each.item.name !== item.name)) return true
  const patients = new Set(
    like.flatMap(({ run, item: { name } }) => (name === item.name ? [seen.patientOf(run.resource)] : [])),
  )
  return patients.size > 0 && !patients.has(seen.patientOf(course[0]?.resource ?? ''))
}

/** Whether different items of one patient have different keys. */
function hasKeysOfItems(told: readonly Told[], { patientOf }: Observations): boolean {
  return told.some((one) =>
    told.some(
      (other) =>
        other.item.name !== one.item.name &&
        other.key !== one.key &&
        patientOf(other.run.resource) === patientOf(one.run.resource),
    ),
  )
}

/** The items added after the handler's first run; for drugs, all. */
function itemsFor(course: Course, { itemsOf }: Observations): readonly Item[] {
  const [first] = course
  const known = (word: string) => Number(first?.has.find((each) => each.endsWith(` ${word}`))?.split(' ')[0] ?? 0)
  const activities = (type: string) => first?.has.filter((each) => each === type).length ?? 0
  const all = itemsOf.get(first?.resource ?? '') ?? []
  return [
    ...all.filter(({ kind }) => kind === 'message').slice(known('messages')),
    ...all.filter(({ kind }) => kind === 'file').slice(known('files')),
    ...all.filter(({ kind }) => kind === 'call').slice(activities('follow_up_call')),
    ...(['sent_fax', 'received_fax'] as const).flatMap((type) =>
      all.filter(({ kind, like }) => kind === 'fax' && like === type).slice(activities(type)),
    ),
    ...all.filter(({ kind }) => kind === 'drug'),
  ].filter(({ name }) => name !== '')
}

function isUnfinished({ resource, handler }: HandlerRun, { unfinished }: Observations): boolean {
  return unfinished.some((work) => work.id === resource && work.handler === handler)
}

/** Everything these runs sent, with the resource's items that it names. */
function tellingsOf(
  runs: readonly HandlerRun[],
  { effects, writes, seen }: { effects: readonly OwnEffect[]; writes: readonly ChartWrite[]; seen: Observations },
): (Omit<Told, 'item'> & { items: readonly Item[] })[] {
  const own = new Set(runs)
  const told = ({ run, key, isRepeatable }: Omit<Told, 'item'>, text: string) => {
    const all = (seen.itemsOf.get(run.resource) ?? []).filter(({ name }) => name !== '')
    const parts = sentencesIn(text).map((part) => all.filter((item) => isNamed(item, part)))
    // A heading may list them all.
    const alone = parts.filter((items) => new Set(items.map(({ name }) => name)).size === 1)
    const items = new Set((alone.length > 0 ? alone : parts).flat())
    return { run, key: key.replaceAll(run.resource, ''), isRepeatable, items: [...items] }
  }
  return [
    ...effects
      .filter(({ run }) => own.has(run))
      .map(({ run, place, once, key, isRepeatable, content }) =>
        told({ run, key: [place, once, key].join(' '), isRepeatable }, content),
      ),
    ...writes.flatMap(({ call, stored, resource }) => {
      const run = seen.runOf(call)
      if (run === undefined || stored === undefined || !own.has(run)) return []
      const key = (resource?.identifier ?? []).map(({ value }) => value).join(' ')
      return [told({ run, key, isRepeatable: true }, call.body)]
    }),
  ]
}

function isNamed({ name, id }: Item, text: string): boolean {
  return text.includes(name) || (id !== undefined && text.includes(id))
}

/** A task's input lists everything the case is about. */
function sentencesIn(text: string): string[] {
  const texts = [...textsOf(parseJson(text))].flatMap(([path, each]) => (path.startsWith('input.') ? [] : [each]))
  return (texts.length > 0 ? texts : [text]).flatMap((each) => each.split(/\n|\. /))
}
