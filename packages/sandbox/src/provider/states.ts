import { hours, type Row } from '../platform/machine.ts'

/** No states are documented; the resource shows only `signed_at`. */
export type ProviderAuthorizationState = 'initiated' | 'signed'

export const providerAuthorizationRows: readonly Row<ProviderAuthorizationState, never>[] = [
  { from: 'initiated', to: 'signed', after: hours(1, 48) },
]
