import { PawlError, type Retry } from '@pawl/base/errors'

/** The errors of a token endpoint (RFC 6749, 5.2; RFC 8707), and the remedy for each. */
const remedies = {
  invalid_client:
    'Check FHIR_CLIENT_ID, and that the EHR knows the first key of FHIR_KEY_FILES: by the address of /.well-known/jwks.json, or by its public part',
  invalid_grant: 'Check FHIR_CLIENT_ID and FHIR_KEY_FILES against the registration at the EHR',
  invalid_request:
    'Check that FHIR_TOKEN_URL, or the token endpoint that the EHR publishes, takes SMART Backend Services',
  invalid_scope:
    'Set FHIR_PROFILE, by which pawl asks for no more than that EHR takes, or FHIR_SCOPES to the scopes registered there',
  invalid_target: 'Check FHIR_TOKEN_URL',
  unauthorized_client: 'Have the EHR allow this client SMART Backend Services (client_credentials)',
  unsupported_grant_type: 'The EHR does not offer SMART Backend Services there: check FHIR_TOKEN_URL',
} as const

export type OAuthErrorCode = keyof typeof remedies

/** Whether a token endpoint's error is a known code, and not free text. */
export function isOAuthErrorCode(value: unknown): value is OAuthErrorCode {
  return typeof value === 'string' && Object.hasOwn(remedies, value)
}

/** A token failure affects the whole EHR: work waits for it, and none is parked. */
export abstract class TokenFailed extends PawlError {
  readonly system = 'ehr'
  override readonly retry: Retry = 'backoff'
  override readonly isOutage: boolean = true
  override readonly costsAttempt = false
}

/** The EHR's token endpoint refuses pawl. Names the status, the OAuth error if known, and the remedy. */
export class FhirTokenRefused extends TokenFailed {
  readonly code = 'fhir_token_refused'
  override readonly httpStatus: number
  override readonly reason: string
  readonly oauthError: OAuthErrorCode | undefined

  constructor({
    httpStatus,
    oauthError,
    clockHint,
  }: {
    httpStatus: number
    oauthError?: OAuthErrorCode | undefined
    clockHint?: string | undefined
  }) {
    const said = oauthError === undefined ? `HTTP ${httpStatus}` : `HTTP ${httpStatus}, ${oauthError}`
    const remedy = oauthError === undefined ? 'Check FHIR_TOKEN_URL and FHIR_CLIENT_ID' : remedies[oauthError]
    super(
      `The EHR refuses a token (${said}). ${[remedy, clockHint].filter(Boolean).join('. ')}. All work for it waits.`,
    )
    this.httpStatus = httpStatus
    this.oauthError = oauthError
    this.reason = [`the EHR refuses a token (${said})`, clockHint].filter(Boolean).join('; ')
  }
}

/** The EHR's token endpoint is slow, down, or answers without a token. */
export class FhirTokenUnavailable extends TokenFailed {
  readonly code = 'fhir_token_unavailable'
  override readonly retry: Retry
  override readonly isOutage: boolean

  override readonly httpStatus: number | undefined
  override readonly reason: string

  constructor(failure: { reason: string; httpStatus?: number | undefined; retry?: Retry; isOutage?: boolean }) {
    super(`There is no token for the EHR: ${failure.reason}. pawl retries it while it has attempts left.`)
    this.retry = failure.retry ?? 'backoff'
    this.isOutage = failure.isOutage ?? true
    this.httpStatus = failure.httpStatus
    this.reason = failure.reason
  }
}
