import { z } from 'zod'
import { eventTypes } from './settings.ts'

const text = z.string().min(1)

const notAll = `must be all, or a list of: ${eventTypes.join(', ')}`

/** A webhook as controls take it: as shown, plus a secret, which an existing webhook may omit. */
export const WebhookRequest = z.strictObject({
  name: text,
  url: z.url({ protocol: /^https?$/ }),
  secret: text.optional(),
  events: z.union([z.array(z.enum(eventTypes)), z.literal('all', { error: notAll })]).optional(),
  enabled: z.boolean().optional(),
  body_digest: z.boolean().optional(),
})
