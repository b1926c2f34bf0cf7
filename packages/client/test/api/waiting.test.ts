import { afterEach, beforeEach, expect, it } from 'vitest'
import { detail, ok, type ScriptedService, refused, startScriptedService, text } from './scripted-service.ts'

let service: ScriptedService
beforeEach(async () => {
  service = await startScriptedService({ maxAttempts: 1 })
})
afterEach(() => service[Symbol.asyncDispose]())

/** The outcome says nothing of whether the resource still runs. */
const outcome = { result: 'Approved', detail: 'x', detail_code: 'approval' }
const at = (status: string) => ok({ id: 'x', status, outcome })

it('a wait ends with the first terminal status, and its pauses grow to a limit', async () => {
  service.play(at('created'), at('validating_outcome'), at('awaiting_outcome'), at('a_new_status'), at('not_submitted'))
  const options = { firstPauseMs: 1_000, maxPauseMs: 2_000 }
  expect(await service.api.waitForPriorAuthorization('x', options)).toMatchObject({ status: 'not_submitted' })
  expect(service.waits).toEqual([1_000, 1_500, 2_000, 2_000])
})

it('a benefit verification is waited for likewise', async () => {
  service.play(at('pending'), at('cancelled'))
  expect(await service.api.waitForBenefitVerification('x')).toMatchObject({ status: 'cancelled' })
  expect(service.seen.map((request) => request.path)).toEqual(Array(2).fill('/benefit-verification/x'))
})

it('passing trouble is waited out, for as long as the service asks', async () => {
  const limited = refused(429, 'rate_limit_exceeded', {}, { 'retry-after': '30' })
  service.play(text(503, ''), text(503, ''), text(503, ''), limited, at('pending'), limited, at('completed'))
  await service.api.waitForBenefitVerification('x')
  expect(service.waits[3]).toBe(30_000 + 1_750)
})

it('trouble five times in a row, and a refusal for good, end it', async () => {
  service.play(text(401, ''))
  await expect(service.api.waitForBenefitVerification('x')).rejects.toMatchObject({ code: 'api_unauthorized' })
  expect(service.seen).toHaveLength(5)
  service.play(at('pending'), detail(404))
  await expect(service.api.waitForBenefitVerification('x')).rejects.toMatchObject({ code: 'api_not_found' })
})

it('an aborted signal ends it with its reason', async () => {
  const controller = new AbortController()
  service.play((response, request) => {
    at('pending')(response, request)
    if (service.seen.length === 3) controller.abort('enough')
  })
  await expect(service.api.waitForBenefitVerification('x', { signal: controller.signal })).rejects.toBe('enough')
})
