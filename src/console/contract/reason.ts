import { z } from 'zod'

/** The least and the most characters of a reason. */
export const [minReason, maxReason] = [3, 500] as const

/** The same in words. */
export const reasonLength = `a text of ${minReason} to ${maxReason} characters`

/** Why somebody does what cannot be undone: it goes into the audit trail as it is. */
export const Reason = z.string().trim().min(minReason).max(maxReason).describe('For the audit trail: name no patient.')
