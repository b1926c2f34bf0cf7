import { z } from 'zod'
import { open } from './open.ts'

/** One communication attempt with a prescriber (supplement, Webhooks; beta). There is no GET for it: the event's payload is all there is. */
export const ProviderOutreach = z.looseObject({
  id: z.string().min(1),
  object: open(z.string()),
  outreach_sequence_id: open(z.string()),
  prior_authorization_id: open(z.string()),
  channel: open(z.string()),
  state: open(z.string()),
  transmission: open(z.looseObject({})),
})
export type ProviderOutreach = z.infer<typeof ProviderOutreach>
