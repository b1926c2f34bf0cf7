import { z } from 'zod'
import { open } from '../resources/open.ts'

/** The body of every webhook (specification, Events, Delivery). Read loosely: only `event_type` and `data` are relied upon. */
export const Envelope = z.looseObject({
  title: open(z.string()),
  description: open(z.string()),
  /** Kept with the event, so it must be a name: nobody sends longer ones. */
  event_type: z.string().min(1).max(200),
  data: z.looseObject({ id: z.unknown().optional() }),
  /** Only the outreach event has these two (supplement, Webhooks). */
  event_id: open(z.string()),
  occurred_at: open(z.string()),
})
export type Envelope = z.infer<typeof Envelope>
