import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import type { SigningKey } from './signing-keys.ts'

/** Lifetime of an assertion in seconds; SMART allows five minutes, and clocks may differ. */
const lifeSeconds = 240

/** Signs the client assertion for a token endpoint (SMART App Launch 2.2, Backend Services; RFC 7523). `nowMs`: milliseconds since 1970. */
export function signClientAssertion(
  { algorithm, kid, privateKey }: SigningKey,
  { clientId, tokenUrl, nowMs }: { clientId: string; tokenUrl: string; nowMs: number },
): Promise<string> {
  const now = Math.floor(nowMs / 1_000)
  return new SignJWT()
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(tokenUrl)
    .setJti(randomUUID())
    .setIssuedAt(now)
    .setExpirationTime(now + lifeSeconds)
    .sign(privateKey)
}
