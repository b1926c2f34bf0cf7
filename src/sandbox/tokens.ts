import { randomBytes, randomUUID } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'

/** API tokens: JWTs that name an organization (specification, Authentication). */
export interface Tokens {
  issue(organization: string): Promise<string>
  /** The organization that an `Authorization` header speaks for; undefined when it is missing or invalid. */
  verify(header: string | undefined): Promise<string | undefined>
}

/** Makes the issuer of API tokens. They do not expire, as no lifetime is shown. */
export function createTokens(deps: { key?: string }): Tokens {
  const key = deps.key === undefined ? randomBytes(32) : new TextEncoder().encode(deps.key)
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
      if (token === undefined) return undefined
      try {
        const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'] })
        return payload.sub
      } catch {
        return undefined
      }
    },
  }
}
