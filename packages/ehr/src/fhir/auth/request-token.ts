import { z } from 'zod'
import type { Clock } from '@pawl/base/clock'
import { readClockAhead, sayAhead } from '@pawl/base/net/clock-ahead'
import { type Answer, exchange, type ExchangeDeps, type ExchangeRequest, noRun } from '@pawl/connector/exchange'
import { signClientAssertion } from './client-assertion.ts'
import type { SigningKey } from './signing-keys.ts'
import { FhirTokenRefused, FhirTokenUnavailable, isOAuthErrorCode, type OAuthErrorCode } from './token-errors.ts'
import { parseJson } from '@pawl/base/parse-json'
import { maxShortAnswerBytes } from '@pawl/base/net/read-bounded'

export interface TokenRequest {
  clientId: string
  key: SigningKey
  /** Separated by spaces. */
  scopes: string
}

/** A bearer token and its lifetime in milliseconds. */
export interface IssuedToken {
  value: string
  lifeMs: number
}

/** The longest lifetime that SMART recommends; assumed where a server states none. */
const assumedLifeSeconds = 300

const TokenAnswer = z.looseObject({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.coerce.number().positive().default(assumedLifeSeconds),
})
const Refusal = z.looseObject({ error: z.unknown() })
const SmartConfiguration = z.looseObject({ token_endpoint: z.url({ protocol: /^https?$/ }) })

/** Finds the token endpoint of a FHIR server (`<base>/.well-known/smart-configuration`). Throws `FhirTokenUnavailable`. */
export async function discoverTokenUrl(deps: ExchangeDeps, baseUrl: string): Promise<string> {
  const url = `${baseUrl.replace(/\/+$/, '')}/.well-known/smart-configuration`
  const answer = await ask(deps, url, { method: 'GET', headers: { accept: 'application/json' } })
  const noDiscovery =
    'check FHIR_BASE_URL, or set FHIR_TOKEN_URL if the EHR has no /.well-known/smart-configuration under it'
  if (!answer.ok) {
    const remedy = answer.status === undefined ? 'check FHIR_BASE_URL and the network' : noDiscovery
    throw unavailable(answer, `its SMART configuration cannot be read (${answer.reason}); ${remedy}`)
  }
  const { data } = SmartConfiguration.safeParse(parseJson(answer.text))
  if (data === undefined)
    throw new FhirTokenUnavailable({ reason: `its SMART configuration names no token endpoint; ${noDiscovery}` })
  if (baseUrl.startsWith('https:') && !data.token_endpoint.startsWith('https:'))
    throw new FhirTokenUnavailable({ reason: 'its SMART configuration names a token endpoint without TLS' })
  return data.token_endpoint
}

/** Requests a token by SMART Backend Services, with a time limit. Throws `FhirTokenRefused` or `FhirTokenUnavailable`. */
export async function requestToken(deps: ExchangeDeps, tokenUrl: string, request: TokenRequest): Promise<IssuedToken> {
  const { clientId, key, scopes } = request
  return fetchToken(deps, tokenUrl, {
    form: {
      grant_type: 'client_credentials',
      scope: scopes,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await signClientAssertion(key, { clientId, tokenUrl, nowMs: deps.clock.now() }),
    },
    refused: (httpStatus, oauthError, answer) => {
      const mayBeClock = oauthError === 'invalid_client' || oauthError === 'invalid_grant'
      const clockHint = mayBeClock ? clockHintOf(answer, deps.clock) : undefined
      return new FhirTokenRefused({ httpStatus, oauthError, clockHint })
    },
  })
}

/** Asks a token endpoint (RFC 6749, 4.4), with a time limit. Throws what `refused` makes of a refusal, and `FhirTokenUnavailable`. */
export async function fetchToken(
  deps: ExchangeDeps,
  tokenUrl: string,
  {
    form,
    headers = {},
    refused,
  }: {
    form: Record<string, string>
    headers?: Record<string, string>
    refused: (httpStatus: number, oauthError: OAuthErrorCode | undefined, answer: Failed) => Error
  },
): Promise<IssuedToken> {
  const answer = await ask(deps, tokenUrl, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  })
  if (!answer.ok) {
    const { status: httpStatus } = answer
    const passes = httpStatus === undefined || httpStatus >= 500 || httpStatus === 408 || httpStatus === 429
    if (passes) throw unavailable(answer, `its token endpoint fails (${answer.reason})`)
    const code = Refusal.safeParse(parseJson(answer.text)).data?.error
    throw refused(httpStatus, isOAuthErrorCode(code) ? code : undefined, answer)
  }
  const { data } = TokenAnswer.safeParse(parseJson(answer.text))
  if (data === undefined)
    throw new FhirTokenUnavailable({
      reason: `its token endpoint answers HTTP ${answer.status} with no bearer token`,
      httpStatus: answer.status,
    })
  return { value: data.access_token, lifeMs: data.expires_in * 1_000 }
}

/** The request serves many runs, so only its own time limit ends it. */
function ask(deps: ExchangeDeps, url: string, request: ExchangeRequest): Promise<Answer> {
  return exchange(deps, noRun(new AbortController().signal, deps.timeoutMs), url, {
    ...request,
    maxBytes: maxShortAnswerBytes,
  })
}

type Failed = Extract<Answer, { ok: false }>

function unavailable({ retry, status: httpStatus }: Failed, reason: string): FhirTokenUnavailable {
  return new FhirTokenUnavailable({ reason, httpStatus, retry: retry === 'never' ? 'backoff' : retry })
}

/** A hint about the clock: assertions live for minutes, so a clock off by minutes gets them refused. */
function clockHintOf({ headers }: Failed, clock: Clock): string {
  const aheadMs = readClockAhead(headers, clock.now())
  if (aheadMs === undefined) return 'Also check the clock of this machine'
  if (Math.abs(aheadMs) < 30_000) return 'The clock of this machine agrees with that of the EHR'
  return `The clock of this machine is ${sayAhead(aheadMs)} that of the EHR: set it right first`
}
