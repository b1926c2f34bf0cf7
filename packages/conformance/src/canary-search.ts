import { escaped } from './find-texts.ts'
import { people, valuesOf } from './canary-people.ts'
import { textCount } from '@pawl/testing/in-sync/text-count'

/** A text that belongs to a patient, or to one case. */
export interface Canary {
  /** Its name, which a report may show. */
  what: string
  /** Index of the patient; absent for text that belongs to one case. */
  patient?: number
  /** Number of the message or call; absent for text that belongs to the patient. */
  text?: number
}

/** Creates a search for every text of a patient or case, base64 included. `chartIds`: the chart's references by patient number. */
export function createCanarySearch(chartIds: ReadonlyMap<string, string>): (text: string) => Canary[] {
  const known = new Map<string, Canary>()
  for (const [patient, { patient: who }] of people.entries()) {
    for (const [what, value] of Object.entries(valuesOf(patient))) known.set(value.toLowerCase(), { what, patient })
    known.set(who.date_of_birth.replaceAll('-', ''), { what: 'birth date', patient })
    const chartId = chartIds.get(who.internal_id)
    if (chartId !== undefined) known.set(`patient/${chartId}`.toLowerCase(), { what: 'chart', patient })
  }
  // Longest first, since one may begin with another.
  const values = [...known.keys()].toSorted((one, other) => other.length - one.length).map((value) => escaped(value))
  const pattern = new RegExp([...values, textCount.source].join('|'), 'gi')
  return (text) =>
    [...`${text}\n${decoded(text)}`.matchAll(pattern)].map(
      ([found, kind, count]) =>
        known.get(found.toLowerCase()) ?? { what: kind?.toLowerCase() ?? 'text', text: Number(count) },
    )
}

/** Decoded base64 parts of a text. */
export function decoded(text: string): string {
  const parts = text.match(/[\w+/-]{24,}={0,2}/g) ?? []
  return parts.map((part) => Buffer.from(part, 'base64').toString('latin1')).join('\n')
}
