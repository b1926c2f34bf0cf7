import { z } from 'zod'

/** The encounter under which documents are filed: the newest open one, the newest within some days, or one that pawl creates for the PA or BV. `ofPrescriber`: only encounters of the prescriber. */
export type EncounterRule =
  | { kind: 'newest-open'; ofPrescriber?: boolean }
  | { kind: 'newest'; days: number; ofPrescriber?: boolean }
  | { kind: 'create' }

/** `create`, `newest-open` or `newest:30d`, the latter two also with `:prescriber`. */
export const encounterRule = z
  .string()
  .regex(
    /^(create|(newest-open|newest:[1-9]\d{0,3}d)(:prescriber)?)$/,
    'must be create, newest-open, or newest and a number of days such as newest:30d; the latter two may end with :prescriber',
  )
  .transform((text): EncounterRule => {
    if (text === 'create') return { kind: 'create' }
    const days = /^newest:(\d+)d/.exec(text)?.[1]
    const whose = text.endsWith(':prescriber') && { ofPrescriber: true }
    return days === undefined ? { kind: 'newest-open', ...whose } : { kind: 'newest', days: Number(days), ...whose }
  })
