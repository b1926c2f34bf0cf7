import { expect, it } from 'vitest'
import { staticToken } from '../../packages/ehr/src/fhir/auth/token-provider.ts'
import { createChartClient } from '../../packages/ehr/src/fhir/chart-client.ts'
import { systemClock } from '../../packages/base/src/clock.ts'
import { failureOf } from '../../src/systems/judge.ts'
import { startFarSide } from '../../packages/testing/src/far-side.ts'
import { createTestRun } from '../support/run-context.ts'

/** Verdict on the chart after a failed search in it. */
async function judge(url: string, signal?: AbortSignal) {
  const run = createTestRun(signal && { signal })
  const deps = { baseUrl: url, tokens: staticToken(undefined), fetch, clock: systemClock, timeoutMs: 5_000 }
  return createChartClient(deps, run)
    .search('Task', { identifier: 'https://pawl.example|pa_req_1' })
    .then(
      () => 'none',
      (error: unknown) => failureOf(error),
    )
}

const failures: [number, ReturnType<typeof failureOf>][] = [
  [302, 'refusal'],
  [400, undefined],
  [401, 'outage'],
  [403, 'refusal'],
  [404, 'refusal'],
  [409, undefined],
  [410, 'refusal'],
  [413, undefined],
  [422, undefined],
  [429, undefined],
  [500, 'outage'],
  [503, 'outage'],
]
for (const [status, failure] of failures) {
  const says = { outage: 'that it is away', refusal: 'that it may refuse everything', none: 'nothing about it' }
  it(`${status} from the chart means ${says[failure ?? 'none']}`, async () => {
    const server = await startFarSide(() => ({ status, body: '{}' }))
    expect(await judge(server.url)).toBe(failure)
    await server.close()
  })
}

it('a refused connection means that the chart is down', async () => {
  expect(await judge('http://127.0.0.1:9')).toBe('outage')
})

it('a request aborted with its connector shows nothing about the chart', async () => {
  const stopping = new AbortController()
  const server = await startFarSide(() => {
    stopping.abort()
    return 'silence'
  })
  expect(await judge(server.url, stopping.signal)).toBeUndefined()
  await server.close()
})
