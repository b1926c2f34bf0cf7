import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { TokenProvider } from '../../src/fhir/auth/token-provider.ts'
import type { FhirEhrOptions } from '../../src/fhir/fhir-ehr.ts'
import { type Fetch, type FetchInit, leanFetch } from '../../../base/src/net/fetch.ts'
import { Message } from '../../../client/src/schemas/prior-authorization.ts'
import { everything } from '../../../../test/support/charts/everything.ts'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'
import { createTestRun, type TestRun } from '../../../../test/support/run-context.ts'
import { sampleMessage, samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { createChartEhr, identifierBase, token } from './connect.ts'
import { people, populate } from './people.ts'
import { plain } from './plain.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

const [{ mrn, birthDate }] = people
const pa = (different: Record<string, unknown> = {}) =>
  samplePriorAuthorization({ patient: { mrn, date_of_birth: birthDate }, ...different })
const own = (chart: Chart) =>
  chart.all('Task', ({ identifier }) => identifier?.[0]?.system === `${identifierBase}/prior-authorization`)

/** As the platform's, but what `refuses` names is answered with this status and nothing else. */
function refusing(refuses: (address: string, init: FetchInit) => number | undefined): Fetch {
  return async (address, init) => {
    const status = refuses(address, init)
    if (status === undefined) return leanFetch(address, init)
    return { status, headers: new Headers(), text: async () => '' }
  }
}

async function start(options: Partial<FhirEhrOptions> = {}, profile: ChartProfile = everything) {
  const chart = await startChart(profile, { token })
  charts.push(chart)
  populate(chart)
  const system = createChartEhr(chart, { tokens: { token: async () => token, refused() {} }, ...options })
  return { chart, open: (run: TestRun) => system.open(run) }
}

describe('a chart that does not do what it says', () => {
  for (const [what, refuses] of [
    ['conditional update', (address, { method }) => (method === 'PUT' && address.includes('?') ? 405 : undefined)],
    [
      'search by identifier, which it does not say that it knows',
      (address) => {
        if (address.endsWith('/metadata')) return 403
        return /\/(Task|ClaimResponse|DocumentReference)\?identifier/.test(address) ? 400 : undefined
      },
    ],
  ] as const satisfies [string, Parameters<typeof refusing>[0]][]) {
    it(`has its resources written without ${what}, each once`, async () => {
      const { chart, open } = await start({ fetch: refusing(refuses) })
      const run = createTestRun()
      await open(run).putPriorAuthorization(pa())
      await open(run).putPriorAuthorization(pa({ status: 'completed' }))
      const writes = chart.writes.length
      await open(run).putPriorAuthorization(pa({ status: 'completed' }))
      expect(chart.writes).toHaveLength(writes)
      expect(own(chart)).toMatchObject([{ status: 'completed' }])
    })
  }

  it('is searched on although it refuses the search for one resource', async () => {
    const addresses: string[] = []
    const fetch = refusing((address) => {
      addresses.push(address)
      return address.includes('pa_req_poison') ? 400 : undefined
    })
    const { chart, open } = await start({ fetch }, plain)
    const poison = open(createTestRun()).putPriorAuthorization(pa({ id: 'pa_req_poison' }))
    await expect(poison).rejects.toMatchObject({ retry: 'never', message: expect.stringContaining('Task=remember') })
    await open(createTestRun()).putPriorAuthorization(pa())
    expect(addresses.some((address) => /\/Task\?identifier=.*pa_req_1$/.test(address))).toBe(true)
    expect(own(chart)).toHaveLength(1)
  })

  it('is asked for all runs that wait, whichever of them is given up', async () => {
    const first = new AbortController()
    const { chart, open } = await start({
      fetch: async (address, init) => {
        if (address.endsWith('/metadata')) {
          await setImmediate()
          first.abort()
          init.signal.throwIfAborted()
        }
        return leanFetch(address, init)
      },
    })
    const [, second] = await Promise.allSettled([
      open(createTestRun({ signal: first.signal })).putPriorAuthorization(pa({ id: 'pa_req_2' })),
      open(createTestRun()).putPriorAuthorization(pa()),
    ])
    expect(second).toMatchObject({ status: 'fulfilled' })
    expect(own(chart)).toHaveLength(1)
  })

  it('is not taken to have no such type because a proxy answers 404 for a while', async () => {
    let isAway = true
    const { chart, open } = await start({
      fetch: refusing((address) => (isAway && address.includes('/Task') ? 404 : undefined)),
    })
    const run = createTestRun()
    await expect(open(run).putPriorAuthorization(pa())).rejects.toMatchObject({
      code: 'ehr_write_failed',
      httpStatus: 404,
    })
    isAway = false
    await open(run).putPriorAuthorization(pa())
    expect(own(chart)).toHaveLength(1)
  })

  it('is not written to twice because what it remembers answers 404 for a while', async () => {
    let isAway = false
    const { chart, open } = await start({
      strategies: { Task: 'remember' },
      fetch: refusing((address, { method }) =>
        isAway && method !== 'POST' && address.includes('/Task') ? 404 : undefined,
      ),
    })
    const run = createTestRun()
    await open(run).putPriorAuthorization(pa())
    isAway = true
    await expect(open(run).putPriorAuthorization(pa({ status: 'completed' }))).rejects.toMatchObject({
      httpStatus: 404,
    })
    expect(own(chart)).toHaveLength(1)
  })
})

describe('the settings of a chart', () => {
  it('leave a type out', async () => {
    const { chart, open } = await start({ strategies: { ClaimResponse: 'skip' } })
    await open(createTestRun()).putPriorAuthorization(pa())
    expect(own(chart)).toHaveLength(1)
    expect(chart.writes.map(({ type }) => type)).not.toContain('ClaimResponse')
  })

  it('have messages filed as documents where no Communication is written', async () => {
    const { chart, open } = await start({ strategies: { Communication: 'skip' } })
    const before = chart.all('DocumentReference').length
    const message = Message.parse(sampleMessage({ content: 'Please add the last lab result.' }))
    const run = createTestRun()
    await open(run).putMessage(pa(), message)
    await open(run).putMessage(pa(), message)
    const [document, ...others] = chart.all('DocumentReference').slice(before)
    expect(others).toEqual([])
    const [plain] = document?.content ?? []
    expect(Buffer.from(plain?.attachment.data ?? '', 'base64').toString()).toContain('Please add the last lab result.')
  })
})

it('a chart that keeps its capabilities to itself is written to as far as it takes it', async () => {
  const { chart, open } = await start({
    fetch: refusing((address) => (address.endsWith('/metadata') ? 403 : undefined)),
  })
  await open(createTestRun()).putPriorAuthorization(pa())
  expect(own(chart)).toHaveLength(1)
})

it('a token that the chart refuses is asked for once more, and the same request goes on with the new one', async () => {
  const refused: string[] = []
  const tokens: TokenProvider = {
    token: async () => (refused.length === 0 ? 'an-old-token' : token),
    refused: (each) => void refused.push(each),
  }
  const { chart, open } = await start({ tokens })
  await open(createTestRun()).putPriorAuthorization(pa())
  expect(refused).toEqual(['an-old-token'])
  expect(own(chart)).toHaveLength(1)
})
