import { type FieldTexts, fieldTexts, within } from './field-text.ts'

export const ProviderAuthorizationRequest: FieldTexts = fieldTexts('specification, Endpoint rules', {
  npi: 'National Provider Identifier, as text. Each can be authorized once. Not empty.',
  first_name: 'Given name; not empty.',
  last_name: 'Family name; not empty.',
  email: 'Where the request to sign goes. Each can be authorized once; a malformed one is refused with 422.',
  fax_number: 'Fax number.',
  phone_number: 'Telephone number.',
  address: 'Where the provider practises; every field of it is optional.',
})

export const AuthorizedProvider: FieldTexts = {
  ...ProviderAuthorizationRequest,
  ...fieldTexts('supplement, Other endpoints', { signed_at: 'When the provider signed.' }),
}

const asked = {
  npi: 'National Provider Identifier, as text.',
  first_name: 'Given name.',
  last_name: 'Family name.',
  state: 'Two letters of the US state in which the provider practises.',
}

export const ProviderLookupRequest: FieldTexts = fieldTexts('supplement, Other endpoints', {
  npi: `${asked.npi} Alone, or else name and state; not empty.`,
  first_name: 'Given name; together with `last_name` and `state`. Not empty.',
  last_name: 'Family name; together with `first_name` and `state`. Not empty.',
  state: 'Two letters of a US state, the federal district or a territory.',
})

const individual = fieldTexts('supplement, Other endpoints', asked)

export const ProviderLookup: FieldTexts = {
  ...fieldTexts('supplement, Other endpoints', {
    status:
      '`active` and `deactivated` come with `individual`, `search_results` with `candidates`; `not_found` says that the registry has no such provider, `registry_error` that it could not be asked.',
    individual: 'The one provider with the NPI that was asked for.',
    candidates: 'Providers with this name in this state.',
  }),
  ...within('individual', individual),
  ...within('candidates[]', individual),
}
