import { z } from 'zod'

/** Which encounter of the patient a document is filed under: the newest that is open, or the newest that began within so many days. */
export type EncounterRule = { kind: 'newest-open'; days?: undefined } | { kind: 'newest'; days: number }

/** `newest-open`, or `newest:30d`. */
export const encounterRule = z
  .string()
  .regex(
    /^(newest-open|newest:[1-9]\d{0,3}d)$/,
    'must be newest-open, or newest and a number of days such as newest:30d',
  )
  .transform((text): EncounterRule => {
    const days = /^newest:(\d+)d$/.exec(text)?.[1]
    return days === undefined ? { kind: 'newest-open' } : { kind: 'newest', days: Number(days) }
  })
