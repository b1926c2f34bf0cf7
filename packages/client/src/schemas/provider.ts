import { z } from 'zod'
import { lenientOf } from './lenient.ts'
import { PartialAddress } from './people.ts'
import { saidIn } from './said.ts'
import { essential } from './shape.ts'
import { moment, text, usState } from './text.ts'

const asked = saidIn('specification, Endpoint rules')

/** Body of POST /provider/authorize. The specification does not state its required fields. NPI and name are required, the rest is optional. */
export const ProviderAuthorizationRequest = z.strictObject({
  npi: text.meta(asked('National Provider Identifier, as text. Each can be authorized once. Not empty.')),
  first_name: text.meta(asked('Given name; not empty.')),
  last_name: text.meta(asked('Family name; not empty.')),
  email: z
    .email()
    .optional()
    .meta(
      asked(
        'E-mail address for the signing request. Each can be authorized once; a malformed one is refused with 422.',
      ),
    ),
  fax_number: z.string().optional().meta(asked('Fax number.')),
  phone_number: z.string().optional().meta(asked('Telephone number.')),
  address: PartialAddress.optional().meta(asked('Practice address; every field is optional.')),
})
export type ProviderAuthorizationRequest = z.infer<typeof ProviderAuthorizationRequest>

const said = saidIn('supplement, Other endpoints')

/** One item of GET /authorized-providers (supplement, Other endpoints). */
export const SignedProvider = ProviderAuthorizationRequest.extend({
  signed_at: moment.meta(said('Time of signing.')),
})

/** The authorized providers, read leniently. */
export const AuthorizedProviders = lenientOf(z.array(SignedProvider))
export type AuthorizedProvider = z.infer<typeof AuthorizedProviders>[number]

/** Body of POST /provider/lookup: by number, or by name and state (supplement, Other endpoints). */
export const ProviderLookupRequest = z.union([
  z.strictObject({
    npi: text.meta(said('National Provider Identifier, as text. Alone, or else name and state; not empty.')),
  }),
  z.strictObject({
    first_name: text.meta(said('Given name; together with `last_name` and `state`. Not empty.')),
    last_name: text.meta(said('Family name; together with `first_name` and `state`. Not empty.')),
    state: usState.meta(said('Two letters of a US state, the federal district or a territory.')),
  }),
])
export type ProviderLookupRequest = z.infer<typeof ProviderLookupRequest>

/** A provider as the registry knows it. */
export const Individual = z.strictObject({
  npi: z.string().meta(said('National Provider Identifier, as text.')),
  first_name: z.string().meta(said('Given name.')),
  last_name: z.string().meta(said('Family name.')),
  state: z.string().meta(said("Two letters of the provider's US state.")),
})
export type Individual = z.infer<typeof Individual>

const found = said(
  '`active` and `deactivated` come with `individual`, `search_results` with `candidates`; `not_found`: the registry has no such provider; `registry_error`: it could not be reached.',
)

/** Answer of POST /provider/lookup (supplement, Other endpoints). */
export const ProviderLookupAnswer = z.union([
  z.strictObject({
    status: essential(z.enum(['active', 'deactivated']).meta(found)),
    individual: Individual.meta(said('The provider with the requested NPI.')),
  }),
  z.strictObject({ status: essential(z.enum(['not_found', 'registry_error']).meta(found)) }),
  z.strictObject({
    status: essential(z.literal('search_results').meta(found)),
    candidates: z.array(Individual).meta(said('Providers with this name in this state.')),
  }),
])
export type ProviderLookupAnswer = z.infer<typeof ProviderLookupAnswer>

/** The result of a lookup, read leniently: only `status` is required. */
export const ProviderLookup = lenientOf(ProviderLookupAnswer)
export type ProviderLookup = z.infer<typeof ProviderLookup>
