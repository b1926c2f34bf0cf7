import { hostOf } from '../describe-request.ts'
import type { HandlerRun } from '../handler-runs.ts'
import type { Call } from '@pawl/testing/lines/line'
import { ownEffectsOf } from './own-effects.ts'
import { passUnless, type Rule } from './rule.ts'
import { chartWritesOf, sharedTypes, subjectOf } from './writes.ts'

/** Writes for one patient name no other patient, and one case does not overwrite another. */
export const keptApart: Rule = {
  id: 'kept-apart',
  title: 'Patients and cases kept apart',
  judge(seen) {
    const { calls, portCalls, runOf, labels, foreignIn } = seen
    const mixed = (run: HandlerRun | undefined, text: string, where: string) => {
      const foreign = run && foreignIn(run.resource, text)
      return run === undefined || foreign === undefined
        ? []
        : [`${labels.get(run.resource)}: ${run.handler} sent ${where} ${foreign}`]
    }
    return passUnless([
      ...calls.flatMap((call) => mixed(runOf(call), `${safeDecode(call.path)} ${call.body}`, shownSystem(call))),
      ...portCalls.flatMap(({ run, args, system }) => mixed(run, JSON.stringify(args), system)),
      ...calls.flatMap((call) => namedOthers(call, seen)),
      ...sharedRecords(seen),
      ...overwritten(seen),
    ])
  },
}

function shownSystem({ system, path }: Call): string {
  return system === 'own' ? hostOf(path) : `the ${system}`
}

function safeDecode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Finds changes that name another patient's case. Allowed are lists that also name the run's own case, and cases that the run has read. */
function namedOthers(call: Call, seen: Parameters<Rule['judge']>[0]): string[] {
  const { labels, patientOf, runOf } = seen
  const run = runOf(call)
  if (run === undefined || call.method === 'GET' || call.method === 'HEAD' || !labels.has(run.resource)) return []
  const text = `${call.path}\n${call.body}`
  if (call.system === 'own' && text.includes(run.resource)) return []
  const isRead = (id: string) =>
    seen.calls.some((each) => each.method === 'GET' && runOf(each) === run && each.done?.body.includes(id) === true)
  return [...labels].flatMap(([id, label]) =>
    text.includes(id) && patientOf(id) !== patientOf(run.resource) && !isRead(id)
      ? [`${labels.get(run.resource)}: ${run.handler} sent ${shownSystem(call)} the id of ${label}`]
      : [],
  )
}

/** Finds chart records that were written for two cases. */
function sharedRecords({ calls, labels }: Parameters<Rule['judge']>[0]): string[] {
  const owners = new Map<string, string>()
  return chartWritesOf(calls).flatMap(({ resource, stored, isDone }) => {
    const subject = subjectOf(resource)
    if (!isDone || stored === undefined || resource === undefined || subject === undefined) return []
    if (!labels.has(subject) || sharedTypes.has(resource.resourceType)) return []
    const owner = owners.get(stored) ?? subject
    owners.set(stored, owner)
    return owner === subject
      ? []
      : [`${labels.get(subject)} overwrote ${labels.get(owner)} in one ${resource.resourceType}`]
  })
}

/** Finds records of own systems that were PUT for two cases without reading first. */
function overwritten(seen: Parameters<Rule['judge']>[0]): string[] {
  const last = new Map<string, { run: HandlerRun; content: string }>()
  const looked = (run: HandlerRun, system: string) =>
    seen.calls.some((call) => call.method === 'GET' && seen.runOf(call) === run && call.path.includes(system)) ||
    seen.portCalls.some((call) => call.run === run && call.system === system && /^(get|read|find)/i.test(call.method))
  return ownEffectsOf(seen).flatMap(({ run, system, place, content, isRepeatable, isConfirmed }) => {
    if (!isRepeatable || !isConfirmed || !place.includes(' ')) return []
    const key = `${system} ${place}`
    const before = last.get(key)
    last.set(key, { run, content })
    if (before === undefined || before.run.resource === run.resource || before.content === content) return []
    if (looked(run, system)) return []
    const { labels } = seen
    return [`${labels.get(run.resource)} overwrote ${labels.get(before.run.resource)} in one record of ${system}`]
  })
}
