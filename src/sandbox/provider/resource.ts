import { z } from 'zod'
import { ProviderAuthorizationRequest } from '../../resources/requests/provider.ts'
import { moment } from '../../resources/requests/text.ts'
import type { Progress } from '../platform/machine.ts'
import type { StoredRecord } from '../platform/store.ts'
import type { ProviderAuthorizationState } from './states.ts'

const string = z.string()

/** A provider as the registry knows it. */
export const Individual = z.strictObject({ npi: string, first_name: string, last_name: string, state: string })
export type Individual = z.infer<typeof Individual>

/** Answer of POST /provider/lookup (supplement, Other endpoints). */
export const ProviderLookup = z.union([
  z.strictObject({ status: z.enum(['active', 'deactivated']), individual: Individual }),
  z.strictObject({ status: z.enum(['not_found', 'registry_error']) }),
  z.strictObject({ status: z.literal('search_results'), candidates: z.array(Individual) }),
])
export type ProviderLookup = z.infer<typeof ProviderLookup>

/** One item of GET /authorized-providers (supplement, Other endpoints). */
export const AuthorizedProvider = ProviderAuthorizationRequest.extend({ signed_at: moment })

/** What is stored of a provider authorization. */
export interface ProviderAuthorizationRecord extends StoredRecord {
  kind: 'provider_authorization'
  /** As GET /authorized-providers lists it, once it is signed. */
  resource: ProviderAuthorizationRequest & { signed_at: string | null }
  progress: Progress<ProviderAuthorizationState>
}
