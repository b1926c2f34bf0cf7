import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endsOf, rowsOf } from '../../src/sandbox/scenarios/legal-values.ts'
import { readScenario, ScenarioInvalid } from '../../src/sandbox/scenarios/read-scenario.ts'
import { runScenario } from '../../src/sandbox/scenarios/run-scenario.ts'
import { type CreatedKind, createdKinds, pushedParts, Scenario, type Step } from '../../src/sandbox/scenarios/schema.ts'
import { control, evenDetours, startSandbox } from './play.ts'

const create = { step: 'create', kind: 'prior_authorization', as: 'pa' }
const ndp_submission = {
  prescription_message_id: 'rx-$run',
  ignore_eligibility_check_error: true,
  preferred_pharmacy_ncpdp_id: '0123456',
}
const withTransfer = { ...create, body: { ndp_submission } }
const withOutreach = { ...create, body: { provider_outreach: { enabled: true } } }
const to = (status: string, more: object = {}) => ({ step: 'push', resource: 'pa', status, ...more })
const until = (status: string) => ({ step: 'wait', resource: 'pa', status })
const approved = ['processing', 'awaiting_outcome', 'completed'].map((status) => to(status))

const faultsOf = (steps: readonly object[]): readonly string[] => {
  try {
    readScenario({ summary: 'x', steps })
  } catch (error) {
    if (error instanceof ScenarioInvalid) return error.faults
    throw error
  }
  return []
}

describe('the order of the statuses of a scenario', () => {
  it.each([
    [
      'a status that does not follow the one before',
      [create, to('completed')],
      ['step 2 (push): status: created cannot become completed; legal next: processing, failed, cancelled'],
    ],
    [
      'anything after an end, however it was reached',
      [create, until('completed'), to('processing'), { ...create, as: 'bv', kind: 'benefit_verification' }],
      ['step 3 (push): status: completed cannot become processing; legal next: none'],
    ],
    [
      'to wait for what lies behind',
      [create, to('processing'), to('failed'), until('completed')],
      ['step 4 (wait): status: failed does not become completed by itself; it can be or become: failed'],
    ],
    [
      'to go back, regardless of the changes that time brought',
      [create, { step: 'wait', hours: 1 }, to('created')],
      [
        'step 3 (push): status: "created" does not exist; legal: processing, ' +
          'awaiting_provider_response, not_submitted, awaiting_review, awaiting_outcome, validating_outcome, failed, completed, cancelled',
      ],
    ],
    [
      'each step by itself, as if the one before had been possible',
      [create, to('completed'), to('cancelled')],
      [expect.stringMatching(/^step 2 /), 'step 3 (push): status: completed cannot become cancelled; legal next: none'],
    ],
    [
      'a transfer of a PA without submission',
      [create, to('attempted', { of: 'transfer' })],
      ['step 2 (push): of: pa has no transfer: its body has no ndp_submission'],
    ],
    [
      'a transfer before the approval',
      [withTransfer, to('attempted', { of: 'transfer' })],
      [
        'step 2 (push): status: cannot become attempted yet: it begins once the PA is approved, or needs no PA; legal next: none',
      ],
    ],
    [
      'a transfer after a denial',
      [
        withTransfer,
        ...approved.slice(0, 2),
        to('completed', { outcome: { result: 'Denied' } }),
        to('attempted', { of: 'transfer' }),
      ],
      [expect.stringMatching(/^step 5 \(push\): status: cannot become attempted yet/)],
    ],
    [
      'a transfer confirmed before it was attempted',
      [withTransfer, ...approved, to('confirmed', { of: 'transfer' })],
      ['step 5 (push): status: waiting cannot become confirmed; legal next: attempted, cancelled'],
    ],
    [
      'an outreach attempt over a channel that is not used',
      [withOutreach, to('sent', { of: 'outreach_phone' })],
      [expect.stringMatching(/^step 2 \(push\): of: pa has no outreach phone: /)],
    ],
    [
      'an outreach attempt after another was answered',
      [
        withOutreach,
        ...['sent', 'delivered', 'responded'].map((status) => to(status, { of: 'outreach_email' })),
        to('sent', { of: 'outreach_fax' }),
      ],
      ['step 5 (push): status: cancelled cannot become sent; legal next: none'],
    ],
    [
      'a benefits check that is stopped by hand',
      [withTransfer, to('stopped', { of: 'benefits_check' })],
      ['step 2 (push): status: "stopped" does not exist; legal: completed'],
    ],
  ])('is refused before anything runs: %s', async (_what, steps, faults) => {
    const { sandbox } = await startSandbox()
    expect(faultsOf(steps)).toEqual(faults)
    await control(sandbox, 'post', '/scenarios', { scenario: { summary: 'x', steps } }).expect(422)
    expect(sandbox.truth().prior_authorizations).toEqual([])
  })

  it.each([
    [
      'another outcome while it is validated',
      [
        create,
        ...approved.slice(0, 2),
        to('validating_outcome'),
        to('validating_outcome', { outcome: { result: 'Denied' } }),
      ],
    ],
    ['any status that time may have led to', [create, { step: 'wait', hours: 9 }, to('validating_outcome')]],
    ['the cancellation by an application', [create, to('processing'), until('cancelled')]],
    ['what people do while real seconds pass', [create, { step: 'wait', seconds: 1 }, to('completed')]],
    [
      'the end of a PA by the answer of its prescriber',
      [
        withOutreach,
        to('processing'),
        to('awaiting_outcome'),
        ...['sent', 'delivered', 'responded'].map((status) => to(status, { of: 'outreach_fax' })),
        to('completed'),
      ],
    ],
    [
      'a benefits check asked twice',
      [withTransfer, ...Array<object>(2).fill(to('completed', { of: 'benefits_check' }))],
    ],
    ['a transfer that time begins', [withTransfer, until('completed'), to('attempted', { of: 'transfer' })]],
  ])('is left to the run where a state that is possible allows it: %s', (_what, steps) => {
    expect(faultsOf(steps)).toEqual([])
  })

  it('is never refused for a playable scenario, and always for an unplayable one of pushes alone', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, fc.integer({ min: 1, max: 99 }), async (scenario, seed) => {
        const { sandbox } = await startSandbox({
          seed,
          detours: evenDetours,
        })
        const { url } = await sandbox.listen()
        const authorization = `Bearer ${await sandbox.issueToken()}`
        const { faults: met } = await runScenario(scenario, {
          name: 'x',
          organization: 'org_demo',
          runId: String(seed),
          tell: () => {},
          call: async (method, path, body) => {
            const response = await fetch(`${url}${path}`, {
              method,
              headers: { authorization, 'content-type': 'application/json' },
              ...(body !== undefined && { body: JSON.stringify(body) }),
            })
            return { status: response.status, body: await response.json() }
          },
        })
        await sandbox.close()
        // A body that is refused says nothing of the order.
        fc.pre(met[0]?.startsWith('step 1 ') !== true)
        const stopped = met.length === 0 ? Infinity : numberOf(met[0])
        const refused = Math.min(...faultsOf(scenario.steps).map(numberOf))
        expect({ met, faults: faultsOf(scenario.steps), isSound: refused >= stopped }).toMatchObject({ isSound: true })
        if (scenario.steps.every(({ step }) => step !== 'wait')) expect(refused).toBe(stopped)
      }),
      { numRuns: 80, seed: 11 },
    )
  })
})

const numberOf = (fault: string | undefined) => Number(/^step (\d+)/.exec(fault ?? '')?.[1])

/** Of the statuses that can be named the likelier ones, so that some go on for a while. */
function stepsOf(kind: CreatedKind): fc.Arbitrary<Step> {
  const own = [...new Set(rowsOf[kind].map((row) => row.to))]
  const push = fc.constantFrom(...own).map((status) => ({ step: 'push' as const, resource: 'one', status }))
  const wait = fc.constantFrom(...own).map((status) => ({ step: 'wait' as const, resource: 'one', status }))
  const hours = fc.constantFrom(1, 20).map((span) => ({ step: 'wait' as const, hours: span }))
  const parts = fc.constantFrom(...pushedParts).chain((of) =>
    fc
      .constantFrom(...new Set(rowsOf[of].map((row) => row.to)))
      .filter((status) => of !== 'benefits_check' || status === 'completed')
      .map((status) => ({ step: 'push' as const, resource: 'one', of, status })),
  )
  return fc.oneof(
    { weight: 6, arbitrary: push },
    ...[wait, hours].map((arbitrary) => ({ weight: 1, arbitrary })),
    ...(kind === 'prior_authorization' ? [{ weight: 3, arbitrary: parts }] : []),
  )
}

const bodies = fc.constantFrom<Record<string, unknown>>(
  {},
  withTransfer.body,
  { ...withOutreach.body },
  {
    ...withOutreach.body,
    provider: { first_name: 'Max', last_name: 'Muster', npi: '1234567893', address: { country: 'US' } },
  },
  { ...withOutreach.body, ...withTransfer.body },
)

/** A way along the table, which random steps seldom find, then any steps. */
function wayOf(kind: CreatedKind, choices: readonly number[]): Step[] {
  const steps: Step[] = []
  let state = rowsOf[kind][0]?.from
  for (const choice of choices) {
    const next: string[] = rowsOf[kind].filter(({ from }) => from === state).map((row) => row.to)
    state = next[choice % next.length]
    if (state === undefined) break
    steps.push({ step: 'push', resource: 'one', status: state })
    if (endsOf(rowsOf[kind]).includes(state)) break
  }
  return steps
}

const scenarios: fc.Arbitrary<Scenario> = fc.constantFrom(...createdKinds).chain((kind) =>
  fc
    .tuple(
      kind === 'prior_authorization' ? bodies : fc.constant({}),
      fc.array(fc.nat(20), { maxLength: 5 }),
      fc.array(stepsOf(kind), { minLength: 1, maxLength: 4 }),
    )
    .map(([body, choices, steps]) =>
      Scenario.parse({
        summary: 'x',
        organization: { pharmacy: true },
        steps: [{ step: 'create', kind, as: 'one', body }, ...wayOf(kind, choices), ...steps],
      }),
    ),
)
