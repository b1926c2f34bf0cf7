import type { JWK } from 'jose'
import { ConfigInvalid } from '@pawl/base/errors'
import type { FhirSettings } from '../settings.ts'
import { leastScopes } from './least-scopes.ts'
import { readSigningKeys } from './signing-keys.ts'
import { createSmartBackend } from './smart-backend.ts'
import { staticToken, type TokenProvider } from './token-provider.ts'

/** The source of tokens, and the public keys for `System.publicKeys`; none without key files. */
export interface FhirAuth {
  tokens: TokenProvider
  publicKeys: () => readonly JWK[]
}

/** SMART Backend Services if the settings hold a client id, else their fixed token, if any. `least`: the scopes to request without FHIR_SCOPES. Reads the key files. Throws `ConfigInvalid`. */
export function tokenProviderFrom(baseUrl: string, settings: FhirSettings, least = leastScopes(settings)): FhirAuth {
  const { FHIR_TOKEN, FHIR_CLIENT_ID: clientId, FHIR_SCOPES: scopes = least, FHIR_TOKEN_URL: tokenUrl } = settings
  const keys = readSigningKeys(settings.FHIR_KEY_FILES ?? [])
  const publicKeys = () => keys.map(({ publicKey }) => publicKey)
  if (clientId === undefined) return { tokens: staticToken(FHIR_TOKEN), publicKeys }
  const [key] = keys
  if (key === undefined) throw new ConfigInvalid('FHIR_KEY_FILES: is missing; FHIR_CLIENT_ID authenticates with a key.')
  return { tokens: createSmartBackend({ baseUrl, clientId, key, scopes, tokenUrl }), publicKeys }
}
