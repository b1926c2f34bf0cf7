import type { ChartProfile, TypeRules } from './profile.ts'

const rules: TypeRules = {
  interactions: ['read', 'search-type'],
  searchParams: ['_id', 'patient', 'identifier'],
  versioning: 'versioned',
}

/** Shows much and takes nothing. */
export const readOnly: ChartProfile = {
  name: 'read-only',
  types: {
    Patient: { ...rules, searchParams: ['_id', 'identifier', 'birthdate', 'family', 'given'] },
    Practitioner: { ...rules, searchParams: ['_id', 'identifier'] },
    DocumentReference: rules,
    Coverage: rules,
    Task: rules,
  },
  refusesInteractionWith: 403,
  unknownSearchParams: 'refused',
  saysWhatWasNotFound: false,
  answersWritesWith: 'resource',
  location: 'absolute',
  pageSize: 2,
  count: 'refused',
  idOf: (ordinal) => `a-1.${ordinal}`,
}
