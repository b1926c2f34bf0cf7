import type { ProviderAuthorizationRequest } from 'pawl-client/schemas/provider'
import type { Progress } from '../platform/machine.ts'
import type { StoredRecord } from '../platform/store.ts'
import type { ProviderAuthorizationState } from './states.ts'

export interface ProviderAuthorizationRecord extends StoredRecord {
  kind: 'provider_authorization'
  /** As GET /authorized-providers lists it once signed. */
  resource: ProviderAuthorizationRequest & { signed_at: string | null }
  progress: Progress<ProviderAuthorizationState>
}
