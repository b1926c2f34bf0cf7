import type { Task } from 'fhir/r4.js'
import { afterEach, describe, expect, it } from 'vitest'
import { type Fetch, type FetchInit, leanFetch } from '../../../base/src/net/fetch.ts'
import { everything } from '../../../../test/support/charts/everything.ts'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { remembering } from '../../../../test/support/charts/remembering.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import { samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { duplicatesIn, ownNameOf } from './chart-reading.ts'
import { createChartEhr, identifierBase, token } from './connect.ts'
import { createAct } from './drive.ts'
import { people, populate } from './people.ts'
import { plain, withRules } from './plain.ts'

const charts: Chart[] = []
afterEach(() => Promise.all(charts.splice(0).map((chart) => chart.close())))

const [{ mrn, birthDate }] = people
const pa = (id: string, different: Record<string, unknown> = {}) =>
  samplePriorAuthorization({ id, patient: { mrn, date_of_birth: birthDate }, ...different })
const written = ['Task', 'ClaimResponse', 'DocumentReference'] as const

type Refuses = (address: string, init: FetchInit) => number | undefined

/** As the platform's, but what `refuses` names is answered as HAPI FHIR answers a failed precondition: the issue's code does not say why. */
function refusing(refuses: Refuses): Fetch {
  return async (address, init) => {
    const status = refuses(address, init)
    if (status === undefined) return leanFetch(address, init)
    const issue = [{ severity: 'error', code: 'processing', diagnostics: 'as the test said' }]
    return {
      status,
      headers: new Headers(),
      text: async () => JSON.stringify({ resourceType: 'OperationOutcome', issue }),
    }
  }
}

async function start(profile: ChartProfile, refuses: Refuses) {
  const chart = await startChart(profile, { token })
  charts.push(chart)
  populate(chart)
  const { open } = createChartEhr(chart, { fetch: refusing(refuses) })
  const parked: string[] = []
  const act = createAct(parked)
  const names = (type: (typeof written)[number]) =>
    chart.all(type).flatMap((held) => ownNameOf(held, identifierBase) ?? [])
  return { chart, open, parked, act, counts: () => written.map((type) => names(type).length) }
}

const isConditionalUpdate: Refuses = (address, { method }) =>
  method === 'PUT' && address.includes('?') ? 412 : undefined
const isConditionalCreate: Refuses = (_address, { headers }) =>
  headers?.['if-none-exist'] === undefined ? undefined : 412

/** Creates unless its identifier is there, and lists by patient. */
const listing = withRules('listing', remembering, (rules) => ({ ...rules, conditionalCreate: true }))
/** The same, without a list. */
const unlisted = withRules('unlisted', listing, (rules) => ({
  ...rules,
  searchParams: rules.searchParams.filter((each) => each !== 'patient'),
}))

describe('a chart that always answers 412', () => {
  it.each([
    ['updates by identifier', plain, isConditionalUpdate],
    ['If-None-Exist', everything, isConditionalCreate],
    ['If-None-Exist, and lists by patient alone', listing, isConditionalCreate],
    ['both', everything, (...of: Parameters<Refuses>) => isConditionalUpdate(...of) ?? isConditionalCreate(...of)],
  ] as const)('to %s has each resource once, and none is parked', async (_what, profile, refuses) => {
    const { chart, open, parked, act, counts } = await start(profile, refuses)
    for (const id of ['pa_req_1', 'pa_req_2', 'pa_req_3']) {
      const run = createTestRun({ resourceId: id })
      await act(() => open(run).putPriorAuthorization(pa(id)))
      await act(() => open(run).putPriorAuthorization(pa(id, { status: 'completed' })))
    }
    expect(parked).toEqual([])
    expect(counts()).toEqual([3, 3, 3])
    expect(duplicatesIn(chart, identifierBase)).toEqual([])
  })
})

it.each([plain, everything, remembering])(
  'the chart $name, where a third of the writes meet 409 or 412 for a while, has each resource once, and none is parked',
  async (profile) => {
    let writes = 0
    const { chart, open, parked, act, counts } = await start(profile, (_address, { method }) => {
      if (method === 'GET') return undefined
      writes += 1
      return writes < 120 && writes % 3 === 0 ? (writes % 2 === 0 ? 412 : 409) : undefined
    })
    const ids = Array.from({ length: 24 }, (_, index) => `pa_req_${index + 1}`)
    for (const id of ids) {
      const run = createTestRun({ resourceId: id })
      await act(() => open(run).putPriorAuthorization(pa(id)))
      await act(() => open(run).putPriorAuthorization(pa(id, { status: 'completed' })))
    }
    expect(parked).toEqual([])
    expect(counts()).toEqual([24, 24, 24])
    expect(duplicatesIn(chart, identifierBase)).toEqual([])
  },
)

it.each([
  ['409, which a write under way may cause', everything, 409],
  ['412, and shows by no search whether it has one', unlisted, 412],
] as const)(
  'a chart that answers If-None-Exist with %s is sent no create without it',
  async (_what, profile, status) => {
    const { chart, open, counts } = await start(profile, (...of) => isConditionalCreate(...of) && status)
    const write = open(createTestRun()).putPriorAuthorization(pa('pa_req_1'))
    await expect(write).rejects.toMatchObject({ httpStatus: status, retry: 'backoff' })
    expect(counts()).toEqual([0, 0, 0])
    expect(chart.writes).toEqual([])
  },
)

describe('a resource that the chart has already, where it answers 412 to If-None-Exist', () => {
  const held = async (copies: number) => {
    const started = await start(everything, isConditionalCreate)
    const { chart, open } = started
    await open(createTestRun()).putPriorAuthorization(pa('pa_req_1'))
    const own = (): Task[] => chart.all('Task', (each) => ownNameOf(each, identifierBase) !== undefined)
    for (const task of own()) for (let copy = 1; copy < copies; copy += 1) chart.seed({ ...task, id: `copy-${copy}` })
    return { ...started, own, again: createChartEhr(chart, { fetch: refusing(isConditionalCreate) }) }
  }

  it('is taken over and brought up to date', async () => {
    const { own, again } = await held(1)
    await again.open(createTestRun()).putPriorAuthorization(pa('pa_req_1', { status: 'completed' }))
    expect(own()).toMatchObject([{ status: 'completed' }])
  })

  it('parks with what to do where several carry its identifier', async () => {
    const { own, again } = await held(2)
    const write = again.open(createTestRun()).putPriorAuthorization(pa('pa_req_1', { status: 'completed' }))
    await expect(write).rejects.toMatchObject({ resourceType: 'Task', httpStatus: 412, retry: 'never' })
    await expect(write).rejects.toThrow('Several resources of the chart carry its identifier: keep one')
    expect(own().map(({ status }) => status)).not.toContain('completed')
  })
})
