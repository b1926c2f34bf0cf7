import { z } from 'zod'
import { lenient } from '../resources/lenient.ts'

/** The body of every webhook (specification, Events, Delivery). Read loosely: only `event_type` and `data` are relied upon. */
export const Envelope = z.looseObject({
  title: lenient(z.string()),
  description: lenient(z.string()),
  /** Kept with the event, so it must be a name: nobody sends longer ones. What no name holds and not every database stores is replaced. */
  event_type: z
    .string()
    .min(1)
    .max(200)
    .transform((type) => type.replaceAll(/[\p{Cc}\p{Cs}]/gu, '\ufffd')),
  data: z.looseObject({ id: z.unknown().optional() }),
  /** Only the outreach event has these two (supplement, Webhooks). An id that is no name either tells no copies apart. */
  event_id: lenient(
    z
      .string()
      .max(200)
      .regex(/^[^\p{Cc}\p{Cs}]+$/u),
  ),
  occurred_at: lenient(z.string()),
})
export type Envelope = z.infer<typeof Envelope>
