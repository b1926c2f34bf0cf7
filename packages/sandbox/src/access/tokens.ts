import { randomBytes, randomUUID } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import type { Store, StoredRecord } from '../platform/store.ts'

/** API tokens: JWTs that name an organization (specification, Authentication). */
export interface Tokens {
  issue(organization: string): Promise<string>
  /** The organization of an `Authorization` header; undefined when the header is missing or invalid. */
  verify(header: string | undefined): Promise<string | undefined>
  /** False if the token was not valid. */
  revoke(token: string): Promise<boolean>
}

/** A revoked API token; the id is its `jti`. */
interface RevokedTokenRecord extends StoredRecord {
  kind: 'revoked_token'
}

/** Tokens do not expire: no lifetime is documented. */
export function createTokens(deps: { key?: string; store: Store }): Tokens {
  const revoked = deps.store.shelf<RevokedTokenRecord>('revoked_token')
  const key = deps.key === undefined ? randomBytes(32) : new TextEncoder().encode(deps.key)
  /** The token's own id and its organization. */
  async function read(token: string): Promise<{ id: string; organization: string } | undefined> {
    try {
      const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'] })
      const { jti: id, sub: organization } = payload
      if (id === undefined || organization === undefined) return undefined
      return revoked.find(id) === undefined ? { id, organization } : undefined
    } catch {
      return undefined
    }
  }

  return {
    issue: (organization) =>
      new SignJWT()
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(organization)
        .setJti(randomUUID())
        .setIssuedAt()
        .sign(key),
    verify: async (header) => {
      const token = header?.match(/^Bearer (\S+)$/i)?.[1]
      return token === undefined ? undefined : (await read(token))?.organization
    },
    revoke: async (token) => {
      const found = await read(token)
      if (found !== undefined) revoked.save({ kind: 'revoked_token', ...found })
      return found !== undefined
    },
  }
}
