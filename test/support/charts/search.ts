import { matchesSearchRequest, parseSearchRequest } from '@medplum/core'
import type { Resource } from '@medplum/fhirtypes'
import type { ChartStore, Held } from './chart-store.ts'
import { type Outcome, refused } from './outcome.ts'
import type { ChartProfile, ResourceType, TypeRules } from './profile.ts'

const control: readonly string[] = ['_count', '_format', '_page']

/** All matches, across pages, or why the query is refused. Parameters unknown to the type count only where the profile refuses them. */
export function findMatches(
  chart: { store: ChartStore; profile: ChartProfile; base: string },
  type: ResourceType,
  rules: TypeRules,
  query: URLSearchParams,
): Held[] | Outcome {
  const { store, profile, base } = chart
  if (profile.count === 'refused' && query.has('_count')) return refused(400, 'not-supported', '_count')
  const asked = [...query].filter(([name]) => !control.includes(name))
  const unknown = asked.find(([name]) => !rules.searchParams.includes(name))
  if (unknown !== undefined && profile.unknownSearchParams === 'refused')
    return refused(400, 'not-supported', `unknown search parameter ${unknown[0]}`)
  const known = asked.filter(([name]) => rules.searchParams.includes(name))
  const wanted = new URLSearchParams()
  for (const [name, value] of known) wanted.append(name, relative(name, value, base))
  const search = parseSearchRequest(`${type}?${wanted.toString()}`)
  // The compiler cannot see that Medplum's types and ours describe the same FHIR R4.
  return store.all(
    type,
    (held) => matchesSearchRequest(held as unknown as Resource, search) && isSince(held, query.get('date')),
  )
}

/** Medplum's matching lets every period pass. */
function isSince(held: Held, date: string | null): boolean {
  return held.resourceType !== 'Encounter' || date === null || (held.period?.start ?? '') >= date.replace(/^ge/, '')
}

/** A patient may be named by id, by type and id, or by address. */
function relative(name: string, value: string, base: string): string {
  if (value.startsWith(`${base}/`)) return value.slice(base.length + 1)
  const isPatient = ['patient', 'subject', 'beneficiary'].includes(name)
  return isPatient && !value.includes('/') ? `Patient/${value}` : value
}
