import { hours, type Row } from '../platform/machine.ts'

/** The provider was asked, or has signed. No states are shown; `signed_at` tells of the second. */
export type ProviderAuthorizationState = 'initiated' | 'signed'

export const providerAuthorizationRows: readonly Row<ProviderAuthorizationState, never>[] = [
  { from: 'initiated', to: 'signed', after: hours(1, 48) },
]
