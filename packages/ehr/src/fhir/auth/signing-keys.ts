import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { JWK } from 'jose'
import { z } from 'zod'
import { ConfigInvalid, systemCodeOf } from '@pawl/base/errors'

/** The algorithms of SMART Backend Services that pawl signs with. */
export const algorithms = ['ES384', 'RS384'] as const
export type SigningAlgorithm = (typeof algorithms)[number]

/** A private key that authenticates pawl to an EHR, with its public part. */
export interface SigningKey {
  kid: string
  algorithm: SigningAlgorithm
  privateKey: KeyObject
  /** The public members with kid, algorithm and use. */
  publicKey: JWK
}

const KeyFile = z.looseObject({
  kty: z.string(),
  kid: z.string('has no kid').regex(/^[\x21-\x7e]{1,200}$/, 'has a kid with spaces or over 200 characters'),
  alg: z.string().optional(),
})

/** Reads private keys from files that hold one JWK each, in this order. Throws `ConfigInvalid`, which names the file and the fault. */
export function readSigningKeys(files: readonly string[]): readonly SigningKey[] {
  const keys = files.map((file) => readKeyFile(file))
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length)
    throw new ConfigInvalid('FHIR_KEY_FILES: two of the keys have the same kid; an EHR could not tell them apart.')
  return keys
}

function readKeyFile(file: string): SigningKey {
  const { data: jwk, error } = KeyFile.safeParse(parseJson(file, readText(file)))
  if (jwk === undefined)
    throw unusable(file, error.issues[0]?.path[0] === 'kid' ? error.issues[0].message : 'is no JWK')
  const privateKey = readPrivateKey(file, jwk)
  const algorithm = algorithmOf(privateKey)
  if (algorithm === undefined) throw unusable(file, 'is neither an EC key on P-384 nor an RSA key of 2048 bits or more')
  if (jwk.alg !== undefined && jwk.alg !== algorithm)
    throw unusable(file, `names another algorithm (alg) than its key's ${algorithm}`)
  const publicMembers = createPublicKey(privateKey).export({ format: 'jwk' })
  // Node's type of a JWK allows undefined members, which an exported key never has.
  const publicKey = { ...publicMembers, kid: jwk.kid, alg: algorithm, use: 'sig' } as JWK
  return { kid: jwk.kid, algorithm, privateKey, publicKey }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw unusable(file, `cannot be read (${systemCodeOf(error) ?? 'unexpected'})`)
  }
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unusable(file, 'is not JSON')
  }
}

function readPrivateKey(file: string, jwk: JsonWebKey): KeyObject {
  try {
    return createPrivateKey({ key: jwk, format: 'jwk' })
  } catch {
    throw unusable(file, 'holds no private key')
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm | undefined {
  if (asymmetricKeyType === 'ec') return asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'ES384' : undefined
  return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2_048 ? 'RS384' : undefined
}

function unusable(file: string, fault: string): ConfigInvalid {
  return new ConfigInvalid(`FHIR_KEY_FILES: ${file} ${fault}; pawl keys new-fhir makes a suitable key.`)
}
