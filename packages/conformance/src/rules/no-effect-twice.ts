import { differenceBetween } from '../difference-between.ts'
import type { HandlerRun } from '../handler-runs.ts'
import { appealedTwice } from './called-off.ts'
import { droppedEffects, renamedEffects, repeatedEffects } from './own-effects.ts'
import { repeatedWithoutReading } from './posted-records.ts'
import { retoldOtherwise } from './retold.ts'
import { passUnless, type Rule } from './rule.ts'
import { secondRecords } from './second-records.ts'
import { type ChartWrite, chartWritesOf, noticesOf, subjectOf } from './writes.ts'

/** No effect repeats: no notice, no created resource, no write. */
export const noEffectTwice: Rule = {
  id: 'no-effect-twice',
  title: 'No effect twice',
  judge: (seen) => {
    const { calls, labels } = seen
    return passUnless([
      ...toldTwice(calls, labels),
      ...createdTwice(seen),
      ...writtenTwice(seen),
      ...changedWithoutCause(seen),
      ...retoldOtherwise(seen),
      ...repeatedEffects(seen),
      ...renamedEffects(seen),
      ...repeatedWithoutReading(seen),
      ...appealedTwice(seen),
      ...droppedEffects(seen),
      ...secondRecords(seen),
    ])
  },
}

type Deps = Parameters<Rule['judge']>[0]

/** Finds a state repeated under a new id; the same id marks a copy of one notice. */
function toldTwice(calls: Deps['calls'], labels: Deps['labels']): string[] {
  const last = new Map<string, { id: string; content: string }>()
  const contents = new Map<string, string>()
  const faults: string[] = []
  for (const { about, id, content, status } of noticesOf(calls)) {
    const name = labels.get(about) ?? 'a PA'
    const before = last.get(about)
    if (before !== undefined && before.id !== id && before.content === content)
      faults.push(`${name}: the pharmacy was told twice that the transfer is ${status}`)
    if ((contents.get(id) ?? content) !== content)
      faults.push(`${name}: the pharmacy got two different notices under one id`)
    contents.set(id, content)
    last.set(about, { id, content })
  }
  return faults
}

/** Finds two resources with one identifier, or with equal content about one resource of the service. One run may write equal content for two items. */
function createdTwice({ calls, labels, runOf }: Deps): string[] {
  const created = chartWritesOf(calls).filter(({ isDone, call }) => isDone && call.done?.status === 201)
  const seen = new Map<string, { stored: string; run: HandlerRun | undefined }>()
  return created.flatMap(({ resource, stored, call }) => {
    if (resource === undefined || stored === undefined) return []
    const { resourceType, identifier = [] } = resource
    const run = runOf(call)
    const names = identifier.map(({ system, value }) => `${resourceType} ${system}|${value}`)
    const keys = resourceType === 'DocumentReference' && isReplacing(resource) ? [] : names
    const content = `${resourceType} ${labels.get(subjectOf(resource) ?? '') ?? ''} ${contentOf(resource)}`
    const isTwice = [...keys, content].some((key) => {
      const before = seen.get(key)
      return before !== undefined && before.stored !== stored && (key !== content || before.run !== run)
    })
    for (const key of [...keys, content]) seen.set(key, { stored, run })
    const about = labels.get(subjectOf(resource) ?? '')
    return isTwice ? [`${about ?? 'the chart'}: a ${resourceType} was created twice`] : []
  })
}

function isReplacing(resource: object): boolean {
  return 'relatesTo' in resource
}

/** Finds equal content written twice in a row to one resource. A run that failed or lost its claim may repeat, and cases that share a record may alternate. */
function writtenTwice({ calls, runOf, labels, lostClaims }: Deps): string[] {
  const last = new Map<string, { content: string; run: HandlerRun | undefined }>()
  return chartWritesOf(calls).flatMap(({ call, resource, stored, isDone }) => {
    if (resource === undefined || stored === undefined || !isDone) return []
    const run = runOf(call)
    const content = contentOf(resource)
    const before = last.get(stored)
    last.set(stored, { content, run })
    const isMet = before?.run?.resource !== run?.resource && (before?.run?.endedAt ?? 0) > (run?.beganAt ?? 0)
    const isOver = before?.run?.isDone === true && run?.isDone === true && !lostClaims.has(run.resource)
    const mayRepeat = before?.run !== undefined && before.run !== run && (!isOver || isMet)
    if (before?.content !== content || mayRepeat) return []
    const about = labels.get(subjectOf(resource) ?? '') ?? 'the chart'
    return [`${about}: ${run?.handler ?? 'pawl'} wrote a ${resource.resourceType} again without a change`]
  })
}

/** Finds new content in a record although the handler had succeeded with the same snapshot and no other party changed the record. */
function changedWithoutCause({ calls, runOf, edits, labels }: Deps): string[] {
  const last = new Map<string, { run: HandlerRun; at: number; content: string }>()
  return chartWritesOf(calls).flatMap(({ call, resource, stored, isDone }) => {
    const run = runOf(call)
    if (resource === undefined || stored === undefined || !isDone || run === undefined) return []
    const key = `${run.handler} ${run.resource} ${stored}`
    const before = last.get(key)
    const content = contentOf(resource)
    last.set(key, { run, at: call.endedAt, content })
    if (before === undefined || before.run === run || !before.run.isDone || before.run.snapshot !== run.snapshot)
      return []
    const isEdited = edits.some(({ reference, at }) => reference === stored && at > before.run.beganAt)
    const isOthers = calls.some(
      (other) =>
        other.system === 'chart' &&
        other.startedAt > before.at &&
        other.startedAt < call.startedAt &&
        other.method !== 'GET' &&
        other.path.includes(stored) &&
        other.by?.handler !== run.handler,
    )
    if (isEdited || isOthers || before.content === content) return []
    const where = differenceBetween(before.content, content)
    const what = `changed a ${resource.resourceType}${where} although nothing had changed`
    return [`${labels.get(run.resource)}: ${run.handler} ${what}`]
  })
}

/** Content of a resource, without ids and times. */
function contentOf(resource: NonNullable<ChartWrite['resource']>): string {
  const names = [
    'id',
    'identifier',
    'masterIdentifier',
    'meta',
    'lastModified',
    'authoredOn',
    'date',
    'created',
    'sent',
  ]
  const kept = Object.entries(resource).filter(([name]) => !names.includes(name))
  return JSON.stringify(Object.fromEntries(kept.toSorted(([one], [other]) => one.localeCompare(other))))
}
