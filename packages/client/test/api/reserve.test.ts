import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Api, createApi } from '../../src/api/client.ts'
import { createSandbox, type Sandbox } from '../../../sandbox/src/sandbox.ts'
import { benefitVerificationRequest, priorAuthorizationRequest } from './client-requests.ts'

const quota = 10
/** Quota that the reserve of a fifth leaves to background work. */
const backgroundShare = 8
const background = { priority: 'background' } as const

let sandbox: Sandbox
let api: Api
let waits: number[]
let statuses: Record<string, (number | 'none')[]>

beforeEach(async () => {
  waits = []
  statuses = {}
  // Time stands still, so that no quota becomes whole again.
  const clock = { now: () => Date.parse('2026-03-01T12:00:00Z') }
  const quotas = { 'read-endpoint-minute': quota, 'write-endpoint-minute': 2 * quota, 'pa-create-24h': quota }
  sandbox = createSandbox({ speed: 0, seed: 5, clock, organizations: [{ id: 'org', quotas }] })
  api = createApi({
    baseUrl: (await sandbox.listen()).url,
    token: await sandbox.issueToken(),
    clock,
    maxWaitMs: 60_000,
    sleep: async (ms) => void waits.push(ms),
    onRequest: ({ method, route, status }) => void (statuses[`${method} ${route}`] ??= []).push(status),
  })
})
afterEach(() => sandbox.close())

/** Repeats background work until the budget has no more for it. */
async function exhaust(work: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < quota; n++) {
    try {
      await work()
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate_budget_spent' })
      return
    }
  }
  expect.fail('the background work took the whole quota')
}

it('background polling that has used up its share holds up no create and no cancel', async () => {
  const authorization = await api.createPriorAuthorization(priorAuthorizationRequest)
  const verification = await api.createBenefitVerification(benefitVerificationRequest)
  await exhaust(() => api.readSnapshot('prior_authorization', authorization.id, background))
  await exhaust(() => api.readSnapshot('benefit_verification', verification.id, background))
  expect(statuses['GET /prior-authorization/{id}']).toEqual(Array(backgroundShare).fill(200))
  expect(statuses['GET /benefit-verification/{id}']).toEqual(Array(backgroundShare).fill(200))
  waits = []
  await api.createPriorAuthorization(priorAuthorizationRequest)
  await api.createBenefitVerification(benefitVerificationRequest)
  await api.cancelPriorAuthorization(authorization.id, 'drug changed')
  await api.cancelBenefitVerification(verification.id)
  expect(waits).toEqual([])
  expect(Object.values(statuses).flat()).not.toContain(429)
})

it('creates in the background leave a fifth of the daily quota to the others, which go out at once', async () => {
  await exhaust(() => api.createPriorAuthorization(priorAuthorizationRequest, background))
  const created = () => statuses['POST /prior-authorization'] ?? []
  expect(created()).toEqual(Array(backgroundShare).fill(200))
  waits = []
  for (let n = backgroundShare; n < quota; n++) await api.createPriorAuthorization(priorAuthorizationRequest)
  expect(waits).toEqual([])
  expect(created()).toEqual(Array(quota).fill(200))
})
