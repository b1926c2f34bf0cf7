import { z } from 'zod'

/** Min and max characters of a reason. */
export const [minReason, maxReason] = [3, 500] as const

/** The limits in words. */
export const reasonLength = `${minReason} to ${maxReason} characters`

/** Why an action was taken, recorded verbatim in the audit trail. */
export const Reason = z.string().trim().min(minReason).max(maxReason).describe('For the audit trail: name no patient.')
