import { z } from 'zod'

/** Why somebody does what cannot be undone: it goes into the audit trail as it is. */
export const Reason = z.string().trim().min(3).max(500)
