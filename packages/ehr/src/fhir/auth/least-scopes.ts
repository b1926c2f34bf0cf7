import { type StoredType, storedTypes } from '../chart-types.ts'
import { practitionerDemand } from '../profiles/conform.ts'
import { profileAsSet } from '../profiles/vendor-profiles.ts'
import type { FhirSettings } from '../settings.ts'

/** To find patients. */
export const patientScopes = 'system/Patient.rs'

/** The fewest SMART 2 scopes for the settings: to find patients, encounters and practitioners, and to search, create and update pawl's own resources. */
export function leastScopes(settings: FhirSettings): string {
  const { FHIR_PROFILE: name = 'r4', FHIR_ENCOUNTER: rule, FHIR_DOCUMENT_AUTHOR: author = '' } = settings
  const { FHIR_STRATEGIES: strategies = {}, FHIR_PROFILE_OVERRIDES: overrides = {} } = settings
  const profile = profileAsSet([], { name, overrides })
  const overridden: Partial<Record<StoredType, Readonly<Record<string, unknown>> | undefined>> = overrides
  const rightsOf = (type: StoredType) => {
    const chosen = strategies[type]
    const { unfit, neverUpdated } = overridden[type] ?? {}
    if (chosen === 'skip' || typeof unfit === 'string') return undefined
    // The vendor grants fewer rights.
    if (unfit === null || neverUpdated === null) return 'crus'
    return profile.scopes === undefined ? 'crus' : (profile.scopes[type] ?? (chosen && 'crus'))
  }
  const written = storedTypes.filter((type) => rightsOf(type) !== undefined)
  const isPrescriberNeeded = rule !== undefined && rule.kind !== 'create' && rule.ofPrescriber === true
  const isPractitionerRead =
    isPrescriberNeeded ||
    author.startsWith('Practitioner/') ||
    author === 'prescriber' ||
    written.some((type) => practitionerDemand(profile, type) !== undefined)
  return [
    patientScopes,
    ...written.toSorted().map((type) => `system/${type}.${rightsOf(type)}`),
    ...(rule === undefined ? [] : [`system/Encounter.${rule.kind === 'create' ? 'crs' : 'rs'}`]),
    ...(isPractitionerRead ? ['system/Practitioner.rs'] : []),
  ].join(' ')
}
