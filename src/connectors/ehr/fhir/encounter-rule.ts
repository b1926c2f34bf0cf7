import { z } from 'zod'

/** Which encounter of the patient a document is filed under: the newest that is open, the newest that began within so many days, or one that pawl creates for the PA or BV. */
export type EncounterRule = { kind: 'newest-open' | 'create'; days?: undefined } | { kind: 'newest'; days: number }

/** `newest-open`, `newest:30d`, or `create`. */
export const encounterRule = z
  .string()
  .regex(
    /^(newest-open|create|newest:[1-9]\d{0,3}d)$/,
    'must be newest-open, create, or newest and a number of days such as newest:30d',
  )
  .transform((text): EncounterRule => {
    const days = /^newest:(\d+)d$/.exec(text)?.[1]
    if (days !== undefined) return { kind: 'newest', days: Number(days) }
    return { kind: text === 'create' ? 'create' : 'newest-open' }
  })
