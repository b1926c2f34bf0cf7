import type { ChartProfile, TypeRules } from './profile.ts'

const rules: TypeRules = {
  interactions: ['read', 'search-type', 'create', 'update'],
  searchParams: ['_id', 'patient'],
  versioning: 'versioned',
}

/** Takes every type, and finds none of them by identifier: a writer must remember the ids. */
export const remembering: ChartProfile = {
  name: 'remembering',
  types: {
    Patient: { ...rules, searchParams: ['_id', 'identifier', 'birthdate', 'family', 'given'] },
    Practitioner: { ...rules, searchParams: ['_id', 'identifier'] },
    DocumentReference: rules,
    Communication: rules,
    Task: rules,
    ClaimResponse: rules,
    Coverage: rules,
    CoverageEligibilityResponse: rules,
  },
  refusesInteractionWith: 405,
  unknownSearchParams: 'refused',
  saysWhatWasNotFound: true,
  answersWritesWith: 'nothing',
  location: 'absolute',
  pageSize: 3,
  count: 'honoured',
  idOf: (ordinal) => `r-${ordinal}`,
}

/** The same, and keeps nothing by which what is written could be known again but its content. */
export const nameless: ChartProfile = {
  ...remembering,
  name: 'nameless',
  types: {
    ...remembering.types,
    DocumentReference: { ...rules, drops: ['identifier', 'relatesTo'] },
    Communication: { ...rules, drops: ['identifier'] },
    Task: { ...rules, drops: ['identifier'] },
  },
}

/** Keeps no names either, and only creates documents. */
export const namelessCreating: ChartProfile = {
  ...nameless,
  name: 'nameless-creating',
  types: {
    Patient: { ...rules, searchParams: ['_id', 'identifier', 'birthdate', 'family', 'given'] },
    DocumentReference: { ...rules, interactions: ['read', 'search-type', 'create'], drops: ['identifier'] },
  },
}
