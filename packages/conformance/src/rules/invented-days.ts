import { parseJson } from '@pawl/base/parse-json'
import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'
import { chartWritesOf } from './writes.ts'
import { ownEffectsOf } from './own-effects.ts'
import { textsOf } from './stale-records.ts'

/** A date in a field of a record. */
interface Said {
  run: HandlerRun
  field: string
  day: string
}

/** Finds dates in a field that usually passes on one of the service's, for a resource where the service gives none. */
export function inventedDays(seen: Observations): string[] {
  // The service may have given a date before it omitted or withdrew the field.
  if (seen.steps.some(({ do: what }) => what === 'leave_out' || what === 'correct_outcome')) return []
  const said = daysSaid(seen)
  const given = new Map([...seen.valuesOf].map(([id, { text }]) => [id, daysIn(text)]))
  const sources = new Map<string, Set<string>>()
  for (const { run, field, day } of said) {
    const found = [...(given.get(run.resource) ?? [])].filter(([, each]) => each === day)
    const [source] = found[0] ?? []
    const key = `${run.handler} ${field}`
    if (found.length === 1 && source !== undefined) sources.set(key, (sources.get(key) ?? new Set()).add(source))
  }
  return said.flatMap(({ run, field, day }) => {
    const days = given.get(run.resource)
    const passedOn = sources.get(`${run.handler} ${field}`)
    // A PA that is validated shows the days of an approval that it may not become.
    if (days === undefined || passedOn === undefined || day === run.lastDay) return []
    if ([...days.values()].includes(day) || isNear(day)) return []
    if ([...passedOn].some((source) => days.has(source))) return []
    return [`${seen.labels.get(run.resource)}: ${run.handler} sent a date that the service does not give`]
  })
}

function daysSaid(seen: Observations): Said[] {
  const written = [
    ...ownEffectsOf(seen).map(({ run, content }) => ({ run, text: content })),
    ...chartWritesOf(seen.calls).map(({ call }) => ({ run: seen.runOf(call), text: call.body })),
  ]
  return written.flatMap(({ run, text }) =>
    run === undefined || !/\d{4}-\d\d-\d\d"/.test(text)
      ? []
      : [...textsOf(parseJson(text))].flatMap(([field, day]) => (isDay.test(day) ? [{ run, field, day }] : [])),
  )
}

/** The dates of a resource by field path. Of a timestamp, only its date. */
function daysIn(text: string): Map<string, string> {
  return new Map(
    [...textsOf(parseJson(text))].flatMap(([path, each]) =>
      /^\d{4}-\d\d-\d\d(?:T|$)/.test(each) ? [[path, each.slice(0, 'yyyy-mm-dd'.length)] as const] : [],
    ),
  )
}

const isDay = /^\d{4}-\d\d-\d\d$/
const dayMs = 86_400_000
/** A run's clock may be off by two days. */
const nearDays = 3

function isNear(day: string): boolean {
  return Math.abs(Date.parse(day) - Date.now()) < nearDays * dayMs
}
