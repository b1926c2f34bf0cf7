import { z } from 'zod'
import { lenient } from './lenient.ts'

/** One communication attempt with a prescriber (supplement, Webhooks; beta). It has no GET: the payload of the event is all there is. */
export const ProviderOutreach = z.looseObject({
  id: z.string().min(1),
  object: lenient(z.string()),
  outreach_sequence_id: lenient(z.string()),
  prior_authorization_id: lenient(z.string()),
  channel: lenient(z.string()),
  state: lenient(z.string()),
  transmission: lenient(z.looseObject({})),
})
export type ProviderOutreach = z.infer<typeof ProviderOutreach>
