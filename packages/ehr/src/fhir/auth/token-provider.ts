/** Bearer tokens for requests; `undefined` if the server needs none. */
export interface TokenProvider {
  /** Requested scopes, separated by spaces; absent if it requests none. */
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
