import { z } from 'zod'
import { eventTypes } from './settings.ts'

const text = z.string().min(1)

/** A webhook as a control takes it: as it is shown, and with a secret, which may be left out for one that exists. */
export const WebhookRequest = z.strictObject({
  name: text,
  url: z.url({ protocol: /^https?$/ }),
  secret: text.optional(),
  events: z.union([z.literal('all'), z.array(z.enum(eventTypes))]).optional(),
  enabled: z.boolean().optional(),
  body_digest: z.boolean().optional(),
})
