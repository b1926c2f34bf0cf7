import { z } from 'zod'
import { open, openEnum, openList } from '../resources/open.ts'
import { ProviderAuthorizationRequest, ProviderLookupRequest } from '../resources/requests/provider.ts'
import type { Caller } from './caller.ts'
import { readData } from './data.ts'
import { type Call, type CallOptions, checkedBody } from './request.ts'

/** The endpoints that are about prescribers (specification, Endpoint rules; supplement, Other endpoints). */
export interface ProviderCalls {
  /** POST /provider/authorize: once for each NPI or e-mail. Throws RequestInvalid before sending, ProviderAuthorizationAlreadyInitiated, and ApiOutcomeUnknown when it may have started. */
  authorizeProvider(request: ProviderAuthorizationRequest, options?: CallOptions): Promise<void>
  /** GET /authorized-providers: who has signed (supplement). */
  getAuthorizedProviders(options?: CallOptions): Promise<AuthorizedProvider[]>
  /** POST /provider/lookup: by NPI, or by name and state (supplement). A provider that is not found is an answer, not an error. */
  lookUpProvider(request: ProviderLookupRequest, options?: CallOptions): Promise<ProviderLookup>
}

const AuthorizedProvider = z.looseObject({
  npi: open(z.string()),
  first_name: open(z.string()),
  last_name: open(z.string()),
  email: open(z.string()),
  signed_at: open(z.string()),
})
export type AuthorizedProvider = z.infer<typeof AuthorizedProvider>
const AuthorizedProviders = openList(AuthorizedProvider)

const Individual = z.looseObject({ npi: open(z.string()), first_name: open(z.string()), last_name: open(z.string()) })
const ProviderLookup = z.looseObject({
  status: openEnum(['active', 'deactivated', 'not_found', 'registry_error', 'search_results']),
  individual: open(Individual),
  candidates: openList(Individual),
})
export type ProviderLookup = z.infer<typeof ProviderLookup>

/** Makes the provider endpoints upon a caller. */
export function createProviderCalls(call: Caller): ProviderCalls {
  return {
    async authorizeProvider(request, options) {
      const place = { method: 'POST', route: '/provider/authorize' } as const
      const body = checkedBody(place, ProviderAuthorizationRequest, request)
      await call({ ...place, body, repeatable: false, mayBeEmpty: true, options })
    },
    async getAuthorizedProviders(options) {
      const request: Call = { method: 'GET', route: '/authorized-providers', repeatable: true, options }
      return AuthorizedProviders.parse(await readData(call, request, z.array(z.unknown()))) ?? []
    },
    async lookUpProvider(request, options) {
      const place = { method: 'POST', route: '/provider/lookup' } as const
      const body = checkedBody(place, ProviderLookupRequest, request)
      return readData(call, { ...place, body, repeatable: true, options }, ProviderLookup)
    },
  }
}
