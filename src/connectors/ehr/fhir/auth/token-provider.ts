/** Gives the bearer token of a request; `undefined` where the server asks for none. */
export interface TokenProvider {
  /** Throws `FhirTokenRefused` or `FhirTokenUnavailable`. */
  token(signal: AbortSignal): Promise<string | undefined>
  /** Tells that the server answered 401 to this token, so that the next call brings another where there can be one. */
  refused(token: string): void
}

/** The token that the settings hold, for every request; there is no other, whatever the server says of it. */
export function staticToken(token: string | undefined): TokenProvider {
  return { token: async () => token, refused() {} }
}
