import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkRun, exchange, leanFetch, systemClock, WriteFailed } from '../../../src/connector.ts'
import { type FarSide, startFarSide } from '../../testing/src/index.ts'
import { createTestRun } from '../../../test/support/run-context.ts'

const http = { fetch: leanFetch, clock: systemClock, timeoutMs: 15_000 }

let farSide: FarSide
beforeEach(async () => {
  farSide = await startFarSide(({ body }) => ({ status: 404, body: `no ${body}` }))
})
afterEach(() => farSide.close())

describe('a write that failed', () => {
  it('has the verdict of the exchange, and says who did not take what of which resource, in none of the words of the system', async () => {
    const request = { method: 'DELETE', headers: {}, body: 'Zwitscherling' } as const
    const failure = await exchange(http, createTestRun(), farSide.url, request)
    if (failure.ok) throw new Error('It was taken.')
    expect(failure.text).toContain('Zwitscherling')
    const error = new WriteFailed({ system: 'desk', what: 'case', resourceId: 'pa_req_1', failure })
    expect(error).toMatchObject({ code: 'write_failed', retry: 'never', isOutage: false, mayBeOutage: true })
    expect(error.message).toBe(
      'The desk did not take the case of pa_req_1: HTTP 404. Correct the settings or the mapping, then retry the parked work.',
    )
  })

  it('may leave out what only HTTP knows', () => {
    const failure = { reason: 'the queue is full', retry: 'backoff', isOutage: true } as const
    const error = new WriteFailed({ system: 'desk', what: 'case', resourceId: 'pa_req_1', failure })
    expect(error).toMatchObject({ retry: 'backoff', isOutage: true, mayBeOutage: false })
  })
})

it('a check can read, and sends no request that changes the system', async () => {
  const run = checkRun(new AbortController().signal)
  expect(await exchange(http, run, farSide.url, { method: 'GET', headers: {} })).toMatchObject({ status: 404 })
  await expect(exchange(http, run, farSide.url, { method: 'POST', headers: {} })).rejects.toThrow(TypeError)
  expect(farSide.requests.map(({ method }) => method)).toEqual(['GET'])
})
