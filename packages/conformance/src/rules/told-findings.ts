import { parseJson } from '@pawl/base/parse-json'
import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'
import { unknownStatus } from '../truth-book.ts'
import { comparedHandlers } from '../compare-systems.ts'
import { allCoursesOf, coursesOf } from './courses.ts'
import { type Act, actsIn } from './like-cases.ts'
import { textsOf } from './stale-records.ts'

/** A completed BV as a handler last saw it, and its last act of each kind. */
interface Verified {
  last: HandlerRun
  /** The findings, one for each drug, in order. */
  findings: readonly string[]
  left: ReadonlyMap<string, Act>
}

/** Finds acts that depend on the order of a BV's drugs, such as on the first one alone. */
export function dependsOnOrder(seen: Observations): string[] {
  const known = new Set(coursesOf(seen).map(([run]) => run?.resource))
  const all = verifiedIn(seen).filter(({ last }) => known.has(last.resource))
  return all.flatMap((one) =>
    all.flatMap((other) => {
      const isSame =
        one.last.handler === other.last.handler &&
        seen.patientOf(one.last.resource) === seen.patientOf(other.last.resource)
      if (!isSame || comparedHandlers.has(one.last.handler) || !isReordered(one, other)) return []
      const [, missing] =
        [...one.left].find(([kind, { state }]) => !other.left.has(kind) || other.left.get(kind)?.state !== state) ?? []
      if (missing === undefined) return []
      const [about, as] = [other, one].map(({ last }) => seen.labels.get(last.resource))
      return [
        `${about}: ${one.last.handler} did not send the ${missing.what} that it sent for ${as}, which has the same findings in another order`,
      ]
    }),
  )
}

/** Finds tasks that a handler opens for a BV with only unknown findings and for one that needs no PA, but not for one that needs a PA. */
export function unknownTakenForNoPa(seen: Observations): string[] {
  const all = verifiedIn(seen)
  return all.flatMap((one) => {
    if (!one.findings.every((each) => each.includes(unknownStatus)) || one.findings.length === 0) return []
    const others = all.filter(({ last }) => last.handler === one.last.handler)
    const clear = others.filter(({ findings }) => areAll(findings, / covered .*required no $/))
    const needing = others.filter(({ findings }) => areAll(findings, / covered .*required yes $/))
    if (clear.length === 0 || needing.length === 0) return []
    return [...one.left.values()].flatMap((act) => {
      const isOpen = act.kind.startsWith('Task ') && act.state === 'requested'
      const isForClear = clear.every((each) => hasAlike(each, act)) && !needing.some((each) => hasAlike(each, act))
      return isOpen && isForClear
        ? [
            `${seen.labels.get(one.last.resource)}: ${one.last.handler} wrote to the chart for unknown findings what it writes if no PA is required`,
          ]
        : []
    })
  })
}

/** Finds texts that call a drug not covered although the service only gave unknown coverage. */
export function unknownTakenForNotCovered(seen: Observations): string[] {
  const all = verifiedIn(seen)
  const says = ({ left }: Verified) => [...left.values()].some(({ content }) => saysNotCovered(content))
  const hasNone = ({ findings }: Verified) => !findings.some((each) => each.includes(' not_covered '))
  return all.flatMap((one) => {
    const { last, findings } = one
    if (!findings.some((each) => each.includes(unknownStatus)) || !hasNone(one) || !says(one)) return []
    const others = all.filter((each) => each.last.handler === last.handler && each !== one)
    const isOfFinding =
      others.some((each) => !hasNone(each) && says(each)) &&
      others.some((each) => areAll(each.findings, / covered /) && !says(each))
    return isOfFinding
      ? [`${seen.labels.get(last.resource)}: ${last.handler} reported a drug of unknown coverage as not covered`]
      : []
  })
}

function verifiedIn(seen: Observations): Verified[] {
  const acts = actsIn(seen).filter(({ isConfirmed }) => isConfirmed)
  return allCoursesOf(seen).flatMap((course) => {
    const last = course.findLast(({ isDone }) => isDone)
    if (last === undefined || last.status !== 'completed') return []
    if (seen.labels.get(last.resource)?.startsWith('BV') !== true) return []
    const own = acts.filter(({ run }) => course.includes(run))
    const names = (seen.itemsOf.get(last.resource) ?? []).map(({ name }) => name)
    const left = new Map(own.map((act) => [names.reduce((kind, name) => kind.replaceAll(name, '#'), act.kind), act]))
    return [{ last, findings: findingsIn(last), left }]
  })
}

/** The flags and codes of each drug in the trace: words, each followed by a space. */
function findingsIn({ has: said }: HandlerRun): string[] {
  const drugs = new Map<string, string[]>()
  for (const each of said) {
    const [, at = '', rest = ''] = /^drugs\.(\d+)\.(.+)$/.exec(each) ?? []
    if (at !== '') drugs.set(at, [...(drugs.get(at) ?? []), rest])
  }
  return [...drugs.values()].map((codes) => `${codes.toSorted().join(' ')} `)
}

function areAll(findings: readonly string[], pattern: RegExp): boolean {
  return findings.length > 0 && findings.every((each) => pattern.test(each))
}

/** The same findings, one per drug, in another order; everything else is equal. */
function isReordered(one: Verified, other: Verified): boolean {
  const rest = ({ last }: Verified) => last.has.filter((each) => !each.startsWith('drugs.')).join(' ')
  const [mine, others] = [one.findings, other.findings]
  return (
    mine.length > 1 &&
    mine.join('|') !== others.join('|') &&
    mine.toSorted().join('|') === others.toSorted().join('|') &&
    rest(one) === rest(other)
  )
}

/** Whether it performed the same kind of act for the same reason. */
function hasAlike(verified: Verified, act: Act): boolean {
  const own = verified.left.get(act.kind)
  return own !== undefined && own.state === act.state && reasonIn(own) === reasonIn(act)
}

function reasonIn({ content }: Act): string | undefined {
  return textsOf(parseJson(content)).get('businessStatus.text')
}

function saysNotCovered(content: string): boolean {
  const text = [...textsOf(parseJson(content)).values()].join('\n').toLowerCase()
  return /\bnot[ _]covered\b/.test(text) && !/\bunknown\b|\bunclear\b|\bnot known\b|\bunconfirmed\b/.test(text)
}
