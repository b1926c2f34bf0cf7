import { z } from 'zod'
import { lenient, lenientList } from './lenient.ts'

/** One communication attempt with a prescriber (supplement, Webhooks; beta). It has no GET: the payload of the event is all there is. */
export const ProviderOutreach = z.looseObject({
  id: z.string().min(1),
  object: lenient(z.string()),
  outreach_sequence_id: lenient(z.string()),
  prior_authorization_id: lenient(z.string()),
  channel: lenient(z.string()),
  state: lenient(z.string()),
  outreach_sequence_state: lenient(z.string()),
  created_at: lenient(z.string()),
  updated_at: lenient(z.string()),
  /** What was sent; the addresses of its files live for minutes. */
  transmission: lenient(
    z.looseObject({
      sent_at: lenient(z.string()),
      to: lenient(z.string()),
      content: lenient(z.string()),
      attachments: lenientList(z.looseObject({ file_name: lenient(z.string()), url: lenient(z.string()) })),
    }),
  ),
})
export type ProviderOutreach = z.infer<typeof ProviderOutreach>
