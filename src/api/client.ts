import { z } from 'zod'
import { type Clock, systemClock } from '../clock.ts'
import { type ResourceKind, schemas } from '../resources/kinds.ts'
import { open } from '../resources/open.ts'
import {
  benefitVerificationRoute,
  type BenefitVerificationCalls,
  createBenefitVerificationCalls,
} from './benefit-verifications.ts'
import { createCaller, type RequestReport, type Sleep, sleepFor } from './caller.ts'
import { type ClinicalQualificationCalls, createClinicalQualificationCalls } from './clinical-qualifications.ts'
import { readData, readRaw } from './data.ts'
import {
  createPriorAuthorizationCalls,
  priorAuthorizationRoute,
  type PriorAuthorizationCalls,
} from './prior-authorizations.ts'
import type { CallOptions } from './request.ts'

/** The kinds that have a GET; outreach attempts have none (architecture rule 5). */
export type SnapshotKind = Exclude<ResourceKind, 'provider_outreach'>

const StatusAnswer = z.looseObject({ message: open(z.string()) })
export type StatusAnswer = z.infer<typeof StatusAnswer>

/** The client of the service (specification, Endpoints). Every method throws ApiError: its `retry` says whether another attempt makes sense. */
export interface Api extends PriorAuthorizationCalls, BenefitVerificationCalls, ClinicalQualificationCalls {
  /** GET /status: resolves when the service is operational. */
  getStatus(options?: CallOptions): Promise<StatusAnswer>
  /** GET of a PA or BV: `data` exactly as the service sent it, unknown and malformed fields included. Throws ApiNotFound. */
  readSnapshot(kind: SnapshotKind, id: string, options?: CallOptions): Promise<unknown>
}

export interface ApiOptions {
  /** The address of the service, without a trailing path. */
  baseUrl: string
  /** The organization's API token (specification, Authentication). */
  token: string
  fetch?: typeof fetch
  clock?: Clock
  /** From 0 to 1, for jitter. */
  random?: () => number
  sleep?: Sleep
  /** Milliseconds for one attempt, its body included. Default 30,000. */
  timeoutMs?: number
  /** Attempts for one call. Default 3. */
  maxAttempts?: number
  /** Milliseconds that one call may spend waiting between attempts; a longer wait is thrown as the error's `retry`. Default 10,000. */
  maxWaitMs?: number
  /** Told of every attempt, for metrics. */
  onRequest?: (report: RequestReport) => void
}

const snapshotRoutes: Record<SnapshotKind, string> = {
  prior_authorization: priorAuthorizationRoute,
  benefit_verification: benefitVerificationRoute,
}

/** Makes the client. Throws TypeError for an address or token that can never work. */
export function createApi(options: ApiOptions): Api {
  if (!URL.canParse(options.baseUrl)) throw new TypeError('baseUrl is not an address')
  if (!/^[\x21-\x7e]+$/.test(options.token))
    throw new TypeError('token is empty or has characters that a header cannot hold')
  const call = createCaller({
    baseUrl: options.baseUrl,
    token: options.token,
    fetch: options.fetch ?? fetch,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleepFor,
    timeoutMs: options.timeoutMs ?? 30_000,
    maxAttempts: options.maxAttempts ?? 3,
    maxWaitMs: options.maxWaitMs ?? 10_000,
    onRequest: options.onRequest ?? (() => {}),
  })
  return {
    getStatus: (options) =>
      readData(call, { method: 'GET', route: '/status', repeatable: true, options }, StatusAnswer),
    readSnapshot: (kind, id, options) =>
      readRaw(call, { method: 'GET', route: snapshotRoutes[kind], id, repeatable: true, options }, schemas[kind]),
    ...createPriorAuthorizationCalls(call),
    ...createBenefitVerificationCalls(call),
    ...createClinicalQualificationCalls(call),
  }
}
