import {
  AuthorizedProviders,
  type AuthorizedProvider,
  ProviderAuthorizationRequest,
  ProviderLookup,
  ProviderLookupRequest,
} from '../schemas/provider.ts'
import { readData } from './data.ts'
import { type ApiRequest, type CallOptions, checkedBody } from './request.ts'
import type { Send } from './send.ts'

/** The endpoints for prescribers (specification, Endpoint rules; supplement, Other endpoints). */
export interface ProviderCalls {
  /** POST /provider/authorize: once per NPI or e-mail. Throws RequestInvalid before sending, ProviderAuthorizationAlreadyInitiated, and ApiOutcomeUnknown when it may have started. */
  authorizeProvider(request: ProviderAuthorizationRequest, options?: CallOptions): Promise<void>
  /** GET /authorized-providers: the providers that have signed (supplement). */
  getAuthorizedProviders(options?: CallOptions): Promise<readonly AuthorizedProvider[]>
  /** POST /provider/lookup: by NPI, or by name and state (supplement). An unknown provider is an answer, not an error. */
  lookUpProvider(request: ProviderLookupRequest, options?: CallOptions): Promise<ProviderLookup>
}

/** Makes the provider calls. */
export function createProviderCalls(send: Send): ProviderCalls {
  return {
    async authorizeProvider(request, options) {
      const place = { method: 'POST', route: '/provider/authorize' } as const
      const body = checkedBody(place, ProviderAuthorizationRequest, request)
      await send({ ...place, body, repeatable: false, mayBeEmpty: true, options })
    },
    async getAuthorizedProviders(options) {
      const request: ApiRequest = { method: 'GET', route: '/authorized-providers', repeatable: true, options }
      return readData(send, request, AuthorizedProviders)
    },
    async lookUpProvider(request, options) {
      const place = { method: 'POST', route: '/provider/lookup' } as const
      const body = checkedBody(place, ProviderLookupRequest, request)
      return readData(send, { ...place, body, repeatable: true, options }, ProviderLookup)
    },
  }
}
