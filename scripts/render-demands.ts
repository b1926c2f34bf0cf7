import type { CodeableConcept } from 'fhir/r4.js'
import type { Demand, DemandedExtension, ProfileName } from '../packages/ehr/src/fhir/profiles/profile.ts'
import { vendorProfiles } from '../packages/ehr/src/fhir/profiles/vendor-profiles.ts'

/** Elements in words, by the name of their demand in a profile. */
const subjects: Readonly<Record<string, string>> = {
  unfit: 'not written',
  neverUpdated: 'updates',
  appended: 'left out of updates',
  updateElements: 'elements of an update',
  unkept: 'not kept',
  attachments: 'attachments',
  contentTypes: 'content type',
  updateContentTypes: 'content type on update',
  charset: 'charset of text',
  period: 'context.period.end',
  encounter: 'context.encounter',
  extensions: 'extension',
  statuses: 'status',
  isTextual: 'shows',
  attachment: 'payload',
}

/** The rows of a profile's table of demands: element, demand, source with date. */
export function demandRows(name: ProfileName): string[][] {
  const { DocumentReference, Task, Communication } = vendorProfiles[name]
  return Object.entries({ DocumentReference, Task, Communication }).flatMap(([type, demands]) =>
    Object.entries<Demand<unknown>>({ ...demands }).map(([key, { is, source, lookedUp }]) => [
      `${type}: ${subjects[key] ?? key}`,
      wordsFor(key, is),
      `${source}, ${lookedUp}`,
    ]),
  )
}

function wordsFor(key: string, is: unknown): string {
  if (key === 'neverUpdated') return 'none'
  if (key === 'isTextual') return 'description and labels'
  if (is === true) return 'demanded'
  if (is === 'demanded') return 'a Practitioner of the chart'
  if (is === 'if-known') return 'a Practitioner of the chart, or none'
  if (Array.isArray(is)) return is.map(nameOf).join(', ')
  // The compiler cannot see that every other object is one of these.
  if (key === 'statuses') return [...new Set(Object.values(Object(is) as object))].map(String).join(', ')
  if (typeof is === 'object') return (is as CodeableConcept).coding?.map(({ code }) => code).join(', ') ?? ''
  return typeof is === 'string' ? is : JSON.stringify(is)
}

function nameOf(value: string | DemandedExtension): string {
  return typeof value === 'string' ? value : (value.url.split('/').at(-1) ?? '')
}
