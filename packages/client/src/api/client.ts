import { type Clock, systemClock } from '@pawl/base/clock'
import { type Fetch, leanFetch } from '@pawl/base/net/fetch'
import { StatusAnswer } from '../schemas/answers.ts'
import type { BenefitVerification } from '../schemas/benefit-verification.ts'
import { readResource, type ResourceKind } from '../schemas/kinds.ts'
import type { PriorAuthorization } from '../schemas/prior-authorization.ts'
import * as benefitVerifications from './benefit-verification-calls.ts'
import { type BudgetStore, createMemoryBudgetStore } from './budget-store.ts'
import { type ClinicalQualificationCalls, createClinicalQualificationCalls } from './clinical-qualification-calls.ts'
import type { OnCreated } from './create.ts'
import type { OnChange } from './own-change.ts'
import { readData, readRaw } from './data.ts'
import { createFileCalls, type FileCalls } from './files.ts'
import { createPaStatusCheckCalls, type PaStatusCheckCalls } from './pa-status-check-calls.ts'
import { createPatientEnrollmentCalls, type PatientEnrollmentCalls } from './patient-enrollment-calls.ts'
import * as priorAuthorizations from './prior-authorization-calls.ts'
import { createProviderCalls, type ProviderCalls } from './providers.ts'
import { createRateBudget } from './rate-budget.ts'
import type { ApiRun, CallOptions } from './request.ts'
import { createSend, type RequestReport, type Send, type Sleep, sleepFor } from './send.ts'
import { type WaitOptions, waitUntilTerminal } from './wait-until-terminal.ts'

/** The kinds with a GET; outreach attempts have none (docs/design.md, rule 5). */
export type SnapshotKind = Exclude<ResourceKind, 'provider_outreach'>

/** The client of the service (specification, Endpoints). Every method throws ApiError, whose `retry` is the verdict. */
export interface Api
  extends
    priorAuthorizations.PriorAuthorizationCalls,
    benefitVerifications.BenefitVerificationCalls,
    ClinicalQualificationCalls,
    ProviderCalls,
    PatientEnrollmentCalls,
    PaStatusCheckCalls,
    FileCalls {
  /** GET /status: resolves when the service is operational. */
  getStatus(options?: CallOptions): Promise<StatusAnswer>
  /** GET of a PA or BV: `data` exactly as the service sent it, unknown and malformed fields included. Throws ApiNotFound, and ApiAnswerMismatched for a snapshot of another resource. */
  readSnapshot(kind: SnapshotKind, id: string, options?: CallOptions): Promise<unknown>
  /** Polls the PA at growing intervals, as background work by default, until its status is terminal, which may take days. Throws ApiNotFound, the reason of an aborted signal, and the fifth failure in a row. */
  waitForPriorAuthorization(id: string, options?: WaitOptions): Promise<PriorAuthorization>
  /** As waitForPriorAuthorization, for a BV. */
  waitForBenefitVerification(id: string, options?: WaitOptions): Promise<BenefitVerification>
}

/** The client of the process. */
export interface ApiClient extends Api {
  /** The same client for one run of a handler. Each request checks with the run right before it is sent, also after a wait for the rate budget. */
  forRun(this: void, run: ApiRun): Api
}

export interface ApiOptions {
  /** The address of the service. */
  baseUrl: string
  /** The organization's API token (specification, Authentication). */
  token: string
  /** The address of the host for patient enrollments; without it enrollPatient throws. */
  enrollmentBaseUrl?: string | undefined
  /** Default: one that uses undici's global dispatcher, which can be set to a proxy. */
  fetch?: Fetch
  clock?: Clock
  /** Random number from 0 to 1, for jitter. */
  random?: () => number
  sleep?: Sleep
  /** Time limit of one attempt or file, body included, in milliseconds. Default 30,000. */
  timeoutMs?: number
  /** Max attempts of one call. Default 3. */
  maxAttempts?: number
  /** Max milliseconds that one call waits for room and between attempts; the error's `retry` passes a longer wait to the caller. Default 10,000. */
  maxWaitMs?: number
  /** Store of the rate limits; all processes of one organization should share it. Default: the memory of this client. */
  budgetStore?: BudgetStore
  /** Called after every attempt, for metrics. */
  onRequest?: (report: RequestReport) => void
  /** Called for every PA and BV that this client creates. */
  onCreated?: OnCreated
  /** Called for every cancellation and change of pharmacy that this client requests. */
  onChange?: OnChange
}

const snapshotRoutes: Record<SnapshotKind, string> = {
  prior_authorization: priorAuthorizations.priorAuthorizationRoute,
  benefit_verification: benefitVerifications.benefitVerificationRoute,
}

/** Makes the client. Throws TypeError for an address or a token that can never work. */
export function createApi(options: ApiOptions): ApiClient {
  const { baseUrl, token, enrollmentBaseUrl } = options
  if (![baseUrl, enrollmentBaseUrl ?? baseUrl].every((address) => URL.canParse(address)))
    throw new TypeError('baseUrl or enrollmentBaseUrl is not an address')
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new TypeError('token is empty or has characters that are not allowed in a header')
  const { clock = systemClock, random = Math.random, sleep = sleepFor } = options
  const { onCreated = () => {}, onChange = () => undefined } = options
  const timeoutMs = options.timeoutMs ?? 30_000
  const store = options.budgetStore ?? createMemoryBudgetStore()
  const send = createSend({
    baseUrl,
    token,
    fetch: options.fetch ?? leanFetch,
    clock,
    random,
    sleep,
    budget: createRateBudget({ store, clock, sleep }),
    timeoutMs,
    maxAttempts: options.maxAttempts ?? 3,
    maxWaitMs: options.maxWaitMs ?? 10_000,
    onRequest: options.onRequest ?? (() => {}),
  })
  const files = createFileCalls({ baseUrl, timeoutMs })
  const callsBy = (each: Send) => createCalls(each, { enrollmentBaseUrl, onCreated, onChange, sleep, random, files })
  const shared = callsBy(send)
  return {
    ...shared,
    forRun(run) {
      const sendForRun: Send = (request) => send({ ...request, run })
      // Made on first use: each run of a handler gets a client, and few use more than the GET of a claim.
      let calls: Api | undefined
      const made = () => (calls ??= callsBy(sendForRun))
      const get = (_: Api, name: string | symbol): unknown =>
        name === 'readSnapshot' ? snapshotReader(sendForRun) : Reflect.get(made(), name)
      return new Proxy(shared, { get })
    },
  }
}

function snapshotReader(send: Send): Api['readSnapshot'] {
  return (kind, id, options) =>
    readRaw(send, { method: 'GET', route: snapshotRoutes[kind], id, repeatable: true, options }, (data) =>
      readResource(kind, data),
    )
}

type CallDeps = Required<Pick<ApiOptions, 'onCreated' | 'onChange' | 'sleep' | 'random'>> &
  Pick<ApiOptions, 'enrollmentBaseUrl'> & { files: FileCalls }

function createCalls(send: Send, { enrollmentBaseUrl, onCreated, onChange, sleep, random, files }: CallDeps): Api {
  const priorAuthorizationCalls = priorAuthorizations.createPriorAuthorizationCalls(send, { onCreated, onChange })
  const benefitVerificationCalls = benefitVerifications.createBenefitVerificationCalls(send, { onCreated, onChange })
  return {
    ...priorAuthorizationCalls,
    ...benefitVerificationCalls,
    ...createClinicalQualificationCalls(send),
    ...createProviderCalls(send),
    ...createPatientEnrollmentCalls(send, enrollmentBaseUrl),
    ...createPaStatusCheckCalls(send),
    ...files,
    getStatus: (options) =>
      readData(send, { method: 'GET', route: '/status', repeatable: true, options }, StatusAnswer),
    readSnapshot: snapshotReader(send),
    waitForPriorAuthorization(id, options) {
      const read = (each: CallOptions) => priorAuthorizationCalls.getPriorAuthorization(id, each)
      return waitUntilTerminal('prior_authorization', read, { sleep, random }, options)
    },
    waitForBenefitVerification(id, options) {
      const read = (each: CallOptions) => benefitVerificationCalls.getBenefitVerification(id, each)
      return waitUntilTerminal('benefit_verification', read, { sleep, random }, options)
    },
  }
}
