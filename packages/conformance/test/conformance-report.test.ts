import { expect, it } from 'vitest'
import { formatJunit } from '../src/junit.ts'
import { person } from '../src/canary-people.ts'
import { describeFailure, readRuns } from '../src/handler-runs.ts'
import { formatReport } from '../src/conformance-report.ts'
import { countFaults } from '../src/reached.ts'
import type { Call } from '../../testing/src/lines/line.ts'
import { ownFrameIn } from '../src/own-frame.ts'
import type { ConformanceResult } from '../src/run-conformance.ts'

const failed: ConformanceResult = {
  runs: 3,
  missing: 0,
  reached: new Map(),
  unrecorded: new Set(),
  tookMs: 4_200,
  tally: new Map([
    ['order-kept', { passes: 2, whyNot: undefined }],
    ['no-lost-update', { passes: 0, whyNot: 'staff changed nothing in the chart' }],
  ]),
  failure: {
    rule: 'in-sync',
    because: 'PA 0: Task.businessStatus is processing, not <completed>',
    seed: 7,
    steps: [{ do: 'create_pa', result: 'Denied', transfer: false }, { do: 'settle' }],
    foundWith: 20,
    isReproducible: true,
    isCutShort: false,
  },
}

it('the report begins with the shortest list, then what happened, the rule and the command to repeat it', () => {
  const report = formatReport(failed, { savedAt: 'data/conformance/in-sync-7.json' })
  expect(report.slice(0, 7)).toEqual([
    'These 2 steps fail (found with 20):',
    '   1. create_pa result=Denied transfer=false',
    '   2. settle',
    '',
    'What happened: PA 0: Task.businessStatus is processing, not <completed>',
    'The rule: in-sync (In sync whenever settled); see docs/conformance.md#in-sync',
    'Again: npm run conformance -- --replay data/conformance/in-sync-7.json',
  ])
  expect(report).toContainEqual(expect.stringMatching(/^n\/a +no-lost-update .+: staff changed nothing in the chart$/))
  expect(report.at(-1)).toBe('3 lists of steps in 4 s: in-sync fails.')
})

it('too few lists for the time are inconclusive, and not reported as "every rule holds"', () => {
  const { failure: _, ...held } = failed
  const verdictOf = (missing: number) =>
    formatReport({ ...held, missing } as ConformanceResult, { savedAt: undefined }).at(-1)
  expect(verdictOf(61)).toBe(
    '3 lists of steps in 4 s: inconclusive: time ran out before 61 more. Try again on a machine with less to do.',
  )
  expect(verdictOf(0)).toBe('3 lists of steps in 4 s: every rule holds.')
})

it('the report names each doubt about a list: cut short, not reproducible, or failing only after others', () => {
  const told = (doubts: object) =>
    formatReport({ ...failed, failure: { ...failed.failure, ...doubts } } as ConformanceResult, { savedAt: undefined })
  const cutShort = 'Shrinking was cut short: some of these steps may not matter.'
  const byChance = 'They did not fail again in a new process: the failure depends on timing or chance.'
  const afterOthers =
    'They fail only after the 2 lists that the same process ran before; the saved file includes those.'
  for (const doubt of [cutShort, byChance, afterOthers]) expect(told({})).not.toContain(doubt)
  expect(told({ isCutShort: true })).toContain(cutShort)
  expect(told({ isReproducible: false })).toContain(byChance)
  expect(told({ before: [[], []] })).toContain(afterOthers)
})

const run = { run: 1, generation: 1, at: 0 }
const facts = { handler: 'invoice', resource: 'pa_1', snapshot: '', status: 'created', words: [], has: [] }

it('the report describes a throwing handler by error, line and refused request', () => {
  const runs = readRuns([
    { what: 'begin', ...run, ...facts },
    { what: 'end', ...run, isDone: false, error: 'TypeError', threwAt: 'templates/invoice/handler.ts:7' },
  ])
  const answered = (status: number, body: string) => {
    const by = { run: run.run, handler: facts.handler }
    const call = { system: 'chart', method: 'POST', path: '/fhir/R4/Invoice', generation: 1, by }
    return { ...runs, calls: [{ ...call, answered: { status }, done: { body } } as unknown as Call] }
  }
  expect(describeFailure(answered(422, ''), 'pa_1', 'invoice')).toBe(
    'TypeError at templates/invoice/handler.ts:7 after POST to the chart: 422',
  )
  expect(describeFailure(answered(404, '{"code":"not-supported"}'), 'pa_1', 'invoice')).toBe(
    'the chart of this run refuses Invoice: FHIR R4 has no such type',
  )
})

it('the throwing line is the first frame of the integration or a handler, without a loader suffix', () => {
  const at = (path: string) => `    at run (${new URL('../../..', import.meta.url).href}${path})`
  const stack = ['TypeError: x', at('src/work/run-handler.ts:9:1'), at('node_modules/undici/index.js:1:1')]
  expect(ownFrameIn(stack.join('\n'))).toBeUndefined()
  expect(ownFrameIn([...stack, at('templates/invoice/handler.ts?t=1:7:3')].join('\n'))).toBe(
    'templates/invoice/handler.ts:7',
  )
  expect(ownFrameIn([...stack, at('src/integration/index.ts:2:3')].join('\n'))).toBe('src/integration/index.ts:2')
})

it('the throwing line of a project is the one of its source', () => {
  const stack = [
    'TypeError: x',
    ...['node_modules/pawl/dist/src/main.js', 'src/tell-desk.ts'].map((path) => `    at run (/project/${path}:18:1)`),
  ]
  expect(ownFrameIn(stack.join('\n'), '/project')).toBe('src/tell-desk.ts:18')
})

it('work parked for a missing address names the setting', () => {
  const runs = readRuns([
    { what: 'begin', ...run, ...facts },
    { what: 'end', ...run, isDone: false, error: 'connector_not_configured' },
  ])
  expect(describeFailure({ ...runs, calls: [] }, 'pa_1', 'invoice')).toMatch(
    /^connector_not_configured: .+ an invented one such as https:\/\/billing\.example will do$/,
  )
})

it('the report counts the changes of each handler to its own system, and those that met a fault', () => {
  const reached: ConformanceResult['reached'] = new Map()
  const call = (method: string, fault?: string) =>
    ({ system: 'own', by: { handler: 'orders-sync' }, method, fault }) as unknown as Call
  countFaults(reached, [call('POST'), call('POST', '503'), call('GET', '503'), call('DELETE')])
  const { failure: _, ...held } = failed
  const report = formatReport({ ...held, reached } as ConformanceResult, { savedAt: undefined })
  expect(report.at(-3)).toBe('  orders-sync            1 of 2 POST, 0 of 1 DELETE')
})

it('the report lists unjudged requests before the verdict', () => {
  const sentence = 'own-handler sent requests to records.example by node:http.'
  const report = formatReport({ ...failed, unrecorded: new Set([sentence]) }, { savedAt: undefined })
  expect(report.at(-2)).toBe(`Not judged: ${sentence}`)
})

it('the report withholds a line with patient data', () => {
  const because = `PA 0: the chart is about ${person.last_name}`
  const result = { ...failed, failure: { ...failed.failure, because } } as ConformanceResult
  expect(formatReport(result, { savedAt: undefined }).join('\n')).not.toContain(person.last_name)
})

it('the JUnit file has a case for each rule: passed, failed or skipped with the reason', () => {
  const xml = formatJunit(failed)
  expect(xml).toContain('failures="1"')
  expect(xml).toMatch(/name="order-kept: Order kept"\/>/)
  expect(xml).toContain('<skipped message="staff changed nothing in the chart"/>')
  expect(xml).toContain('is processing, not &lt;completed&gt;')
})
