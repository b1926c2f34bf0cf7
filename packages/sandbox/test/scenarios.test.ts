import { describe, expect, it } from 'vitest'
import { answeringFaults } from '../src/platform/chaos-settings.ts'
import { eventTypes } from '../src/webhooks/settings.ts'
import { readScenario, ScenarioInvalid } from '../src/scenarios/read-scenario.ts'
import type { Run } from '../src/scenarios/run-progress.ts'
import { shippedNames, shippedScenario } from '../src/scenarios/shipped-scenarios.ts'
import type { Sandbox } from '../src/sandbox.ts'
import { control, evenDetours, startSandbox, startWebhook } from './play.ts'

const faultsOf = (input: unknown): readonly string[] => {
  try {
    readScenario(input)
  } catch (error) {
    if (error instanceof ScenarioInvalid) return error.faults
    throw error
  }
  return []
}

/** A sandbox whose webhook names every type. */
async function startListening() {
  const { webhook, receiver } = await startWebhook({ events: eventTypes })
  const started = await startSandbox({ speed: 1_000, organizations: [{ id: 'org_demo', webhooks: [webhook] }] })
  return { ...started, receiver }
}

async function run(sandbox: Sandbox, body: object): Promise<Run> {
  const { body: answer } = await control(sandbox, 'post', '/scenarios', body).expect(200)
  return answer.data
}

/** Events that the sandbox sent about the resources of a run, without repetitions by chaos. */
function sentEvents(sandbox: Sandbox, { ids }: Run) {
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
  return sandbox.controls
    .deliveries()
    .filter(({ resourceId, copyOf }) => names.has(resourceId) && copyOf === undefined)
    .map(({ resourceId, eventType, body }) => {
      const { data } = JSON.parse(body)
      const shown: Record<string, unknown> = {
        'prior_authorization.prescription_transfer_change': data.prescription_transfer?.status,
        'prior_authorization.provider_outreach_change': data.state,
        'prior_authorization.status_change': data.status,
        'benefit_verification.status_change': data.status,
      }
      const shows = shown[eventType]
      return { resource: names.get(resourceId), event_type: eventType, ...(shows !== undefined && { shows }) }
    })
}

describe('the scenarios that come with the sandbox', () => {
  it.each(shippedNames())('%s sends its announced events in order and ends as announced', async (name) => {
    const { sandbox, receiver } = await startListening()
    const scenario = shippedScenario(name)
    const result = await run(sandbox, { name })
    expect(result).toMatchObject({ ok: true, faults: [] })
    expect(scenario?.events?.length).toBeGreaterThan(0)
    expect(Object.keys(scenario?.ends ?? {}).length).toBeGreaterThan(0)
    expect(sentEvents(sandbox, result)).toEqual(scenario?.events)
    expect(result.deliveries.every(({ attempts }) => attempts === 1)).toBe(true)
    expect(receiver.received).toHaveLength(result.deliveries.length)
    // Each is told by one step, except copies that chaos adds.
    const copies = sandbox.controls.deliveries().filter(({ copyOf }) => copyOf !== undefined)
    const told = result.steps.flatMap(({ happened }) => happened.flatMap(({ event }) => event?.delivery_ids ?? []))
    const sent = result.deliveries.map(({ id }) => id).filter((id) => copies.every((copy) => copy.id !== id))
    expect(told.toSorted((one, other) => one - other)).toEqual(sent)
    expect(result.steps).toHaveLength(scenario?.steps.length ?? 0)
  })

  it('create with the overridden fields and leave the others alone', async () => {
    const { sandbox } = await startListening()
    const overrides = {
      'patient.last_name': 'Sample',
      'diagnoses.0.code': 'E11.9',
      priority: 2,
      'patient.weight': null,
    }
    const result = await run(sandbox, { name: 'denied-then-appealed', overrides })
    expect(result.ok).toBe(true)
    expect(Object.keys(result.ids).length).toBeGreaterThan(1)
    for (const pa of sandbox.truth().prior_authorizations)
      expect(pa).toMatchObject({
        priority: 2,
        patient: { first_name: 'Testa', last_name: 'Sample' },
        diagnoses: [{ code: 'E11.9' }],
      })
    const { body } = await control(sandbox, 'post', '/scenarios', {
      name: 'denied-then-appealed',
      overrides: { 'patient.lastname': 'x' },
    }).expect(409)
    expect(body.error.description).toContain('patient.lastname')
  })

  it("report each step's changes, events and answers, and why a step failed", async () => {
    const { sandbox } = await startListening()
    const create = { step: 'create', kind: 'prior_authorization', as: 'pa' } as const
    const steps = [
      create,
      { step: 'push', resource: 'pa', status: 'processing' },
      { step: 'push', resource: 'pa', status: 'awaiting_provider_response' },
      { step: 'wait', resource: 'pa', status: 'not_submitted' },
    ]
    const { body } = await control(sandbox, 'post', '/scenarios', { scenario: { summary: 'x', steps } }).expect(409)
    const result: Run = body.error.run
    const event = (id: number) => ({ type: 'prior_authorization.status_change', delivery_ids: [id] })
    expect(result.steps.slice(0, 2)).toEqual([
      {
        number: 1,
        does: 'create prior_authorization pa',
        happened: [{ resource: 'pa', of: 'case', change: { from: null, to: 'created' }, event: event(1) }],
      },
      {
        number: 2,
        does: 'push pa to processing',
        happened: [{ resource: 'pa', of: 'case', change: { from: 'created', to: 'processing' }, event: event(2) }],
      },
    ])
    expect(result.steps.at(-1)).toMatchObject({ number: 4, fault: expect.stringContaining('pa is') })
    expect(result.deliveries[0]).toMatchObject({ id: 1, answer: '200' })
  })

  it.each(shippedNames())('%s ends as announced regardless of chance', async (name) => {
    for (let seed = 1; seed <= 4; seed += 1) {
      const { sandbox } = await startSandbox({ seed, speed: 1_000, detours: evenDetours })
      expect({ seed, ...(await run(sandbox, { name })) }).toMatchObject({ ok: true, faults: [] })
    }
  })

  it('leave nothing to chance in a custom scenario that only waits', async () => {
    const waits = (kind: 'prior_authorization' | 'benefit_verification') => ({
      summary: 'It is left alone.',
      steps: [
        { step: 'create', kind, as: 'one' },
        { step: 'wait', resource: 'one', status: 'completed' },
      ],
      ends: { one: { status: 'completed' } },
    })
    for (let seed = 1; seed <= 8; seed += 1) {
      const { sandbox } = await startSandbox({ seed, speed: 1_000 })
      for (const kind of ['prior_authorization', 'benefit_verification'] as const)
        expect({ seed, kind, ...(await run(sandbox, { scenario: waits(kind) })) }).toMatchObject({
          ok: true,
          faults: [],
        })
    }
  })

  it.each(answeringFaults.filter((fault) => fault !== 'slow'))(
    'name the step that chaos stopped: %s',
    async (fault) => {
      const { sandbox } = await startSandbox()
      const create = (as: string) => ({ step: 'create', kind: 'prior_authorization', as })
      const chaos = { step: 'chaos', answering: { [fault]: 1 } }
      const steps = [create('first'), chaos, create('second')]
      const { body } = await control(sandbox, 'post', '/scenarios', { scenario: { summary: 'It is stopped.', steps } })
      expect(body.error.run.faults).toEqual([
        expect.stringMatching(/^step 3 \(create prior_authorization second\): .{10}/),
      ])
      expect(body.error.run.faults[0]).not.toContain('fetch failed')
    },
    60_000,
  )

  it('can be repeated, and restore time, settings and chaos', async () => {
    const { sandbox } = await startListening()
    const settings = () => [
      sandbox.controls.readClock().speed,
      sandbox.controls.readChaos(),
      sandbox.controls.listOrganizations(),
    ]
    const before = structuredClone(settings())
    for (const name of ['approved-with-transfer', 'non-delegated-review', 'rough-road', 'approved-with-transfer'])
      expect(await run(sandbox, { name })).toMatchObject({ ok: true })
    expect(settings()).toEqual(before)
  })

  it('run one after the other when several start at once', async () => {
    const { sandbox } = await startListening()
    await sandbox.listen()
    const names = ['denied-then-appealed', 'transfer-fails', 'non-delegated-review']
    const runs = await Promise.all(names.map((name) => run(sandbox, { name })))
    expect(runs.map(({ ok }) => ok)).toEqual([true, true, true])
    expect(sandbox.controls.readClock().speed).toBe(1_000)
  })
})

describe("a scenario of one's own", () => {
  const create = { step: 'create', kind: 'prior_authorization', as: 'pa' }

  it("runs with its own fields instead of the example's", async () => {
    const { sandbox, read } = await startSandbox()
    const steps = [
      { ...create, body: { priority: 2, visit_notes: null } },
      { step: 'push', resource: 'pa', status: 'processing' },
      { step: 'wait', hours: 1 },
      { step: 'wait', resource: 'pa', status: 'awaiting_outcome' },
      { step: 'letter', resource: 'pa', type: 'sent_fax' },
    ]
    const { ok, ids, ends } = await run(sandbox, { name: 'mine', scenario: { summary: 'Mine.', steps } })
    expect([ok, ends]).toEqual([true, { pa: 'awaiting_outcome' }])
    expect(await read(`/prior-authorization/${ids.pa}`)).toMatchObject({ priority: 2, visit_notes: [] })
  })

  const qualification = (drugs: string[]) => ({
    step: 'create',
    kind: 'clinical_qualification',
    as: 'cq',
    body: {
      drugs: drugs.map((drug_name) => ({
        drug_name,
        strength: '10 mg',
        dose_form: 'Injection, solution',
        route_of_administration: 'subcutaneous',
        directions: 'once a week',
        quantity: 4,
        days_supply: 28,
      })),
    },
  })
  const [good, bad] = ['Examplumab', 'sandbox:unqualified'] as const

  it.each([
    ['qualified', [good], 'qualified'],
    ['unqualified', [bad, bad], 'unqualified'],
    ['evaluated', [bad], 'unqualified'],
    ['evaluated', [good, bad], 'evaluated'],
    ['pending', [good], 'pending'],
  ])('waits until a clinical qualification is %s: %j', async (status, drugs, ends) => {
    const { sandbox } = await startSandbox()
    const steps = [qualification(drugs), { step: 'wait', resource: 'cq', status }]
    expect(await run(sandbox, { scenario: { summary: 'x', steps } })).toMatchObject({ ok: true, ends: { cq: ends } })
  })

  it('reports at once that a clinical qualification ended otherwise, and names the possible results', async () => {
    const { sandbox } = await startSandbox()
    const scenario = (status: string, drugs: string[]) => ({
      summary: 'x',
      steps: [qualification(drugs), create, { step: 'wait', resource: 'cq', status }],
    })
    for (const [drugs, came] of [
      [[bad], 'unqualified'],
      [[good, bad], 'evaluated'],
    ] as const) {
      const refused = await control(sandbox, 'post', '/scenarios', { scenario: scenario('qualified', [...drugs]) })
      expect(refused.body.error.description).toContain(`cq is ${came} and stays so`)
    }
    expect(sandbox.truth().prior_authorizations.map((one) => one.status)).not.toContain('completed')
    expect(faultsOf(scenario('completed', [good]))).toEqual([
      'step 3 (wait): status: "completed" does not exist; legal: pending, evaluated, qualified, unqualified, unknown',
    ])
  })

  it("replaces a whole field of the example's body", async () => {
    const { sandbox } = await startSandbox()
    const steps = [{ ...create, body: { patient: { internal_id: 'mine' } } }]
    const { body } = await control(sandbox, 'post', '/scenarios', { scenario: { summary: 'x', steps } }).expect(409)
    expect(body.error.description).toContain('body.patient.first_name: Field required')
  })

  it('belongs to the named organization', async () => {
    const { sandbox } = await startSandbox({ organizations: [{ id: 'org_demo' }, { id: 'org_other' }] })
    const scenario = { summary: 'Mine.', steps: [create] }
    const { ids } = await run(sandbox, { scenario, organization: 'org_other' })
    expect(sandbox.truth().prior_authorizations.map(({ id }) => id)).toEqual([ids.pa])
    const { body } = await control(sandbox, 'post', '/scenarios', { scenario, organization: 'none' }).expect(404)
    expect(body.error.description).toContain('org_other')
  })

  const push = (status: string, more: object = {}) => ({ step: 'push', resource: 'pa', status, ...more })
  const ndp_submission = {
    prescription_message_id: 'rx-$run',
    ignore_eligibility_check_error: true,
    preferred_pharmacy_ncpdp_id: '0123456',
  }
  const withOutreach = { ...create, body: { provider_outreach: { enabled: true } } }
  it.each([
    ['completed at once', [create, push('completed')], '2 (push pa to completed)', 'legal next: processing'],
    [
      'to go on after an end that time brought',
      [create, { step: 'wait', hours: 1_000 }, push('processing')],
      '3 (push pa to processing)',
      'completed cannot become processing; legal next: none',
    ],
    [
      'to wait for what lies behind',
      [create, push('processing'), push('failed'), { step: 'wait', resource: 'pa', status: 'completed' }],
      '4 (wait until pa is completed)',
      'pa is failed and stays so',
    ],
    [
      'a transfer of a PA without submission',
      [create, push('attempted', { of: 'transfer' })],
      '2 (push pa transfer to attempted)',
      'legal next: none. Transfer: not requested, without ndp_submission.',
    ],
    [
      'a transfer before the approval',
      [{ ...create, body: { ndp_submission } }, push('attempted', { of: 'transfer' })],
      '2 (push pa transfer to attempted)',
      'Transfer: begins once the PA is approved',
    ],
    [
      'an outreach over a channel that is not used',
      [withOutreach, push('sent', { of: 'outreach_phone' })],
      '2 (push pa outreach phone to sent)',
      'use one of: pa, pa.fax, pa.email',
    ],
  ])(
    'that asks for an impossible step stops there and says what is possible: %s',
    async (_what, steps, at, possible) => {
      const { sandbox } = await startSandbox()
      const scenario = { summary: 'x', organization: { pharmacy: true }, steps: [...steps, { ...create, as: 'later' }] }
      const { body } = await control(sandbox, 'post', '/scenarios', { name: 'mine', scenario }).expect(409)
      expect(body.error).toMatchObject({ code: 'scenario_failed', run: { scenario: 'mine', ok: false } })
      expect(body.error.description).toContain(`mine: step ${at}: `)
      expect(body.error.description).toContain(possible)
      expect(sandbox.truth().prior_authorizations).toHaveLength(1)
      expect(sandbox.controls.readClock().speed).toBe(0)
    },
  )

  it('fails if a resource ends otherwise, or if nothing is due while it waits', async () => {
    const { sandbox } = await startSandbox()
    const differs = {
      summary: 'x',
      steps: [create],
      ends: { pa: { status: 'completed', outcome: { result: 'Denied' } } },
    }
    const { body } = await control(sandbox, 'post', '/scenarios', { scenario: differs }).expect(409)
    expect(body.error.run.faults).toEqual([
      'ends: pa.status is "created", not "completed"',
      'ends: pa.outcome.result is "Pending", not "Denied"',
    ])
    const steps = [
      { ...create, body: { is_training_data: true } },
      { step: 'wait', resource: 'pa', status: 'completed' },
    ]
    const other = await startSandbox()
    const waits = await control(other.sandbox, 'post', '/scenarios', { scenario: { summary: 'x', steps } }).expect(409)
    expect(waits.body.error.description).toContain('pa is created and stays so')
  })

  it.each([
    [{}, ['summary: is missing', 'steps: is missing']],
    [
      { summary: 'x', steps: [create], extra: 1 },
      [expect.stringContaining('has no "extra"; legal here: summary, organization, steps')],
    ],
    [
      { summary: 'x', steps: [{ step: 'psh' }] },
      ['step 1: step must be one of create, push, wait, message, letter, fail, chaos'],
    ],
    [
      { summary: 'x', steps: [{ step: 'create', kind: 'pa', as: 'Pa' }] },
      [
        expect.stringMatching(/^step 1 \(create\): kind: must be one of prior_auth/),
        expect.stringContaining('as: must be lower-case'),
      ],
    ],
    [
      { summary: 'x', steps: [create, { step: 'push', resource: 'pb', status: 'x' }] },
      ['step 2 (push): no step has created "pb" yet; created so far: pa'],
    ],
    [
      { summary: 'x', steps: [create, { step: 'push', resource: 'pa', state: 'x' }] },
      ['step 2 (push): status: is missing', 'step 2 (push): has no "state"; legal here: resource, of, status, outcome'],
    ],
    [
      { summary: 'x', steps: [{ ...create, body: { replaces: '$bv' } }] },
      ['step 1 (create): no step has created "bv" yet; a create step comes first'],
    ],
    [
      { summary: 'x', steps: [create], ends: { other: {} } },
      ['events and ends: no step creates "other"; created so far: pa'],
    ],
    [
      {
        summary: 'x',
        steps: [
          create,
          { step: 'wait', resource: 'pa', status: 'compleeted' },
          { step: 'push', resource: 'pa', status: 'done' },
          { step: 'push', resource: 'pa', of: 'transfer', status: 'arrived' },
        ],
      },
      [
        expect.stringMatching(/^step 2 \(wait\): status: "compleeted" does not exist; legal: created, processing, /),
        expect.stringMatching(/^step 3 \(push\): status: "done" does not exist; legal: processing, /),
        expect.stringMatching(/^step 4 \(push\): status: "arrived" does not exist; legal: .*confirmed/),
      ],
    ],
    [
      { summary: 'x', steps: [create], ends: { pa: { outcom: {}, outcome: { reslt: 'Denied' } } } },
      [
        expect.stringMatching(/^ends: pa: has no "outcom"; legal here: id, object, url, status, /),
        expect.stringMatching(/^ends: pa\.outcome: has no "reslt"; legal here: result, detail, /),
      ],
    ],
  ])('does not start if it is invalid: %j', async (scenario, faults) => {
    const { sandbox } = await startSandbox()
    expect(faultsOf(scenario)).toEqual(faults)
    await control(sandbox, 'post', '/scenarios', { scenario }).expect(422)
    expect(sandbox.truth().prior_authorizations).toEqual([])
  })

  it('streams its progress line by line to a client that accepts NDJSON', async () => {
    const { sandbox } = await startSandbox()
    const { text } = await control(sandbox, 'post', '/scenarios', { name: 'non-delegated-review' })
      .accept('application/x-ndjson')
      .buffer(true)
      .parse((res, done) => {
        let all = ''
        res.setEncoding('utf8').on('data', (part: string) => (all += part))
        res.on('end', () => done(null, all))
      })
      .expect(200)
      .then(({ body }) => ({ text: String(body) }))
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ kind }) => kind)).toEqual(['started', ...Array<string>(5).fill('step'), 'ended'])
    expect(lines[1]).toMatchObject({
      number: 1,
      does: 'create prior_authorization pa',
      ids: { pa: expect.any(String) },
    })
    expect(lines.at(-1)).toMatchObject({ ok: true })
  })
})
