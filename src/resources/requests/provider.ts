import { z } from 'zod'
import { PartialAddress } from './people.ts'
import { text } from './text.ts'
import { usState } from './us-state.ts'

/** Body of POST /provider/authorize. Required flags are not shown: NPI and name are required, the rest is optional. */
export const ProviderAuthorizationRequest = z.strictObject({
  npi: text,
  first_name: text,
  last_name: text,
  email: z.email().optional(),
  fax_number: z.string().optional(),
  phone_number: z.string().optional(),
  address: PartialAddress.optional(),
})
export type ProviderAuthorizationRequest = z.infer<typeof ProviderAuthorizationRequest>

/** Body of POST /provider/lookup: by number, or by name and state (supplement, Other endpoints). */
export const ProviderLookupRequest = z.union([
  z.strictObject({ npi: text }),
  z.strictObject({ first_name: text, last_name: text, state: usState }),
])
export type ProviderLookupRequest = z.infer<typeof ProviderLookupRequest>
