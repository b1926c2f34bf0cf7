import { z } from 'zod'
import { lenient } from './lenient.ts'
import { saidIn } from './said.ts'
import { moment } from './text.ts'

const said = saidIn('specification, Events')
const more = saidIn('supplement, Webhooks')

/** The body of every webhook (specification, Events, Delivery). Only the outreach event has `event_id` and `occurred_at` (supplement, Webhooks). */
export const WebhookEnvelope = z.strictObject({
  title: z.string().meta(said('The event in a few words.', { examples: ['Prior Authorization Updated'] })),
  description: z
    .string()
    .meta(said('The event in a sentence for people.', { examples: ['The prior authorization has changed.'] })),
  event_type: z.string().meta(said('The type of the event.')),
  event_id: z
    .string()
    .meta(more('Id of the event: `wh_evt_` and letters and digits.', { examples: ['wh_evt_a1b2c3d4e5f6g7h8i9j0'] }))
    .optional(),
  occurred_at: moment.meta(more('When it happened.', { examples: ['2026-03-02T12:05:00.000Z'] })).optional(),
  data: z
    .looseObject({ id: z.string() })
    .meta(said('The whole resource as it was when the event was sent, as GET gives it.')),
})
export type WebhookEnvelope = z.infer<typeof WebhookEnvelope>

/** A webhook's body, read loosely: only `event_type` and `data` are relied on. `data` is read by the schema of its kind. */
export const Envelope = z.looseObject({
  title: lenient(WebhookEnvelope.shape.title),
  description: lenient(WebhookEnvelope.shape.description),
  /** Stored with the event, so its length is bounded, and characters that some databases refuse are replaced. */
  event_type: z
    .string()
    .min(1)
    .max(200)
    .transform((type) => type.replaceAll(/[\p{Cc}\p{Cs}]/gu, '\ufffd')),
  data: z.looseObject({ id: z.unknown().optional() }),
  /** A value without the shape of an id reads as absent, since it is stored and may be any text. */
  event_id: lenient(
    z
      .string()
      .max(200)
      .regex(/^[\w.:=+/@~-]+$/),
  ),
  occurred_at: lenient(z.string()),
})
export type Envelope = z.infer<typeof Envelope>
