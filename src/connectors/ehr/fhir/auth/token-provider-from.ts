import type { JWK } from 'jose'
import { ConfigInvalid, leastFhirScopes } from '../../../../settings/config.ts'
import { readSigningKeys } from './signing-keys.ts'
import { createSmartBackend } from './smart-backend.ts'
import { staticToken, type TokenProvider } from './token-provider.ts'

/** The settings that authenticate pawl to the EHR. */
export interface FhirAuthSettings {
  FHIR_TOKEN?: string | undefined
  FHIR_CLIENT_ID?: string | undefined
  FHIR_KEY_FILES?: readonly string[] | undefined
  FHIR_SCOPES?: string | undefined
  FHIR_TOKEN_URL?: string | undefined
}

/** The source of tokens, and the public keys for `System.publicKeys`; none without key files. */
export interface FhirAuth {
  tokens: TokenProvider
  publicKeys: () => readonly JWK[]
}

/** SMART Backend Services if the settings hold a client id, else their fixed token, if any. Reads the key files. Throws `ConfigInvalid`. */
export function tokenProviderFrom(baseUrl: string, settings: FhirAuthSettings): FhirAuth {
  const {
    FHIR_TOKEN,
    FHIR_CLIENT_ID: clientId,
    FHIR_SCOPES: scopes = leastFhirScopes,
    FHIR_TOKEN_URL: tokenUrl,
  } = settings
  const keys = readSigningKeys(settings.FHIR_KEY_FILES ?? [])
  const publicKeys = () => keys.map(({ publicKey }) => publicKey)
  if (clientId === undefined) return { tokens: staticToken(FHIR_TOKEN), publicKeys }
  const [key] = keys
  if (key === undefined) throw new ConfigInvalid('FHIR_KEY_FILES: is missing; FHIR_CLIENT_ID authenticates with a key.')
  return { tokens: createSmartBackend({ baseUrl, clientId, key, scopes, tokenUrl }), publicKeys }
}
