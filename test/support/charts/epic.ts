import { createHash } from 'node:crypto'
import type { ChartProfile } from './profile.ts'

const read = ['read', 'search-type'] as const

/** Documents and messages can be created, Tasks only updated; determinations and coverage are not writable; nothing is conditional. */
export const epic: ChartProfile = {
  name: 'epic',
  types: {
    Patient: {
      interactions: read,
      searchParams: ['_id', 'identifier', 'birthdate', 'family', 'given'],
      versioning: 'no-version',
    },
    Practitioner: { interactions: read, searchParams: ['_id', 'identifier'], versioning: 'no-version' },
    DocumentReference: {
      interactions: [...read, 'create', 'update'],
      searchParams: ['_id', 'patient', 'subject', 'identifier', 'category', 'type', 'date'],
      versioning: 'versioned',
    },
    Communication: {
      interactions: [...read, 'create'],
      searchParams: ['_id', 'patient', 'subject', 'identifier'],
      versioning: 'versioned',
    },
    Task: {
      interactions: [...read, 'update'],
      searchParams: ['_id', 'patient', 'identifier', 'status'],
      versioning: 'versioned',
    },
  },
  refusesInteractionWith: 405,
  unknownSearchParams: 'refused',
  saysWhatWasNotFound: true,
  answersWritesWith: 'nothing',
  location: 'both',
  pageSize: 2,
  count: 'honoured',
  idOf: (ordinal) => `e${createHash('sha256').update(String(ordinal)).digest('hex').slice(0, 20)}.-${ordinal}`,
}
