import { z } from 'zod'
import { lenient } from '../schemas/lenient.ts'

/** The body of every webhook (specification, Events, Delivery). Read loosely: only `event_type` and `data` are relied on. */
export const Envelope = z.looseObject({
  title: lenient(z.string()),
  description: lenient(z.string()),
  /** Stored with the event, so its length is bounded, and characters that some databases refuse are replaced. */
  event_type: z
    .string()
    .min(1)
    .max(200)
    .transform((type) => type.replaceAll(/[\p{Cc}\p{Cs}]/gu, '\ufffd')),
  data: z.looseObject({ id: z.unknown().optional() }),
  /** Only the outreach event has these two (supplement, Webhooks). A value without the shape of an id reads as absent, since it is stored and may be any text. */
  event_id: lenient(
    z
      .string()
      .max(200)
      .regex(/^[\w.:=+/@~-]+$/),
  ),
  occurred_at: lenient(z.string()),
})
export type Envelope = z.infer<typeof Envelope>
