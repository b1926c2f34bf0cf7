/** Bearer tokens for requests; `undefined` where the server asks for none. */
export interface TokenProvider {
  /** Scopes that it asks for, separated by spaces; absent where it asks for none. */
  readonly scopes?: string
  /** Throws `FhirTokenRefused` or `FhirTokenUnavailable`. */
  token(signal: AbortSignal): Promise<string | undefined>
  /** Reports a 401 to this token, so that the next call returns another, if any. */
  refused(token: string): void
}

/** The fixed token of the settings, for every request, even after a 401. */
export function staticToken(token: string | undefined): TokenProvider {
  return { token: async () => token, refused() {} }
}
