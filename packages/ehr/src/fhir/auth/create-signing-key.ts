import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { SigningAlgorithm } from './signing-keys.ts'

/** Makes a private key as a JWK, to authenticate pawl to an EHR. Its kid is the key's thumbprint (RFC 7638), and so unique. */
export async function createSigningKey(algorithm: SigningAlgorithm): Promise<JWK & { kid: string }> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true, modulusLength: 3_072 })
  const jwk = await exportJWK(privateKey)
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: algorithm, use: 'sig' }
}
