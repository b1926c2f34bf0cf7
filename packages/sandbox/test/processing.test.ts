import { describe, expect, it } from 'vitest'
import { testValues } from '../src/platform/test-values.ts'
import { startSandbox, startWebhook, stepThrough } from './play.ts'
import { benefitVerification, ndpSubmission, priorAuthorization } from './requests.ts'

type Fields = Parameters<typeof priorAuthorization>[0]

async function startWith(fields: Fields, request = priorAuthorization(), options = {}) {
  const started = await startSandbox(options)
  const id = await started.create('/prior-authorization', { ...request, ...fields })
  const read = () => started.read(`/prior-authorization/${id}`)
  const verification = async () =>
    started.read(`/benefit-verification/${(await read()).triggered_benefit_verification_id}`)
  return { ...started, id, read, verification, statuses: () => stepThrough(started.sandbox, read) }
}

const { mock_result: _, ...unmocked } = priorAuthorization()
const trigger_benefit_verification = {
  enabled: true,
  additional_medications: [{ ndc: '12345-6789-01', quantity: 1 }],
}
const stopped = ['created', 'processing', 'not_submitted']

describe('the benefit verification that a PA triggers', () => {
  it('is linked both ways, covers the prescribed drug first, and lets the PA continue', async () => {
    const { id, read, verification, statuses } = await startWith({ trigger_benefit_verification })
    expect(await verification()).toMatchObject({
      triggered_by_pa_id: id,
      status: 'pending',
      drugs: [
        { name: 'Examplumab', dosage: '10 mg', quantity: 4 },
        { ndc: '12345-6789-01', quantity: 1 },
      ],
    })
    expect(await statuses()).toEqual(['created', 'processing', 'awaiting_outcome', 'completed'])
    expect((await verification()).status).toBe('completed')
    expect((await read()).outcome.result).toBe('Approved')
  })

  it.each([
    ['benefit_verification_no_medication_coverage', ['not_covered', 'not_covered']],
    ['benefit_verification_only_alternative_medication_covered', ['not_covered', 'covered']],
    ['benefit_verification_pa_not_required', ['covered', 'covered']],
  ] as const)('stops the PA with %s', async (detail_code, coverage) => {
    const mock_result = { result: 'Not Submitted', detail_code } as const
    const { read, statuses, verification } = await startWith({ trigger_benefit_verification, mock_result })
    expect(await statuses()).toEqual(stopped)
    expect((await read()).outcome).toMatchObject(mock_result)
    expect((await verification()).drugs.map((drug: { coverage: string }) => drug.coverage)).toEqual(coverage)
  })

  it('can also stop the PA by chance findings', async () => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= 25; seed++) {
      const started = await startWith({ trigger_benefit_verification }, unmocked, { seed })
      await started.statuses()
      const { drugs, status } = await started.verification()
      const { outcome } = await started.read()
      const [first, second] = drugs
      if (status !== 'completed') continue
      const isStopped = String(outcome.detail_code).startsWith('benefit_verification_')
      expect(isStopped).toBe(first.coverage === 'not_covered' || first.prior_authorization_required === 'no')
      if (!isStopped) continue
      seen.add(outcome.detail_code)
      if (outcome.detail_code.includes('alternative')) expect(second.coverage).toBe('covered')
    }
    expect(seen.size).toBeGreaterThan(1)
  })

  it('keeps the PA in processing until it ends, and lets it continue after a failure or cancellation', async () => {
    for (const end of ['failed', 'cancelled']) {
      const { sandbox, id, read, verification, statuses } = await startWith({ trigger_benefit_verification })
      sandbox.controls.push(id, 'processing')
      const { id: bv } = await verification()
      sandbox.controls.push(bv, end)
      expect((await read()).status).toBe('processing')
      expect(await statuses()).toEqual(['processing', 'awaiting_outcome', 'completed'])
    }
  })

  it('is cancelled with its PA, and begins neither for training data nor unless enabled', async () => {
    const { sandbox, id, verification } = await startWith({ trigger_benefit_verification })
    sandbox.controls.cancel(id)
    expect((await verification()).status).toBe('cancelled')
    expect(sandbox.controls.step()).toBeUndefined()
    const training = { trigger_benefit_verification, is_training_data: true }
    for (const fields of [training, { trigger_benefit_verification: { enabled: false } }])
      expect((await (await startWith(fields)).read()).triggered_benefit_verification_id).toBeNull()
  })
})

describe('the checks of a PA', () => {
  it('find an alternative in the formulary', async () => {
    const { prescription } = priorAuthorization()
    const [drug_name, ndc] = testValues.formularyAlternative
    const { directions, quantity, days_supply, prescription_date } = prescription
    for (const drug of [
      { ...prescription, drug_name },
      { ndc, directions, quantity, days_supply, prescription_date },
    ]) {
      const { read, statuses } = await startWith({ prescription: drug as never })
      expect(await statuses()).toEqual(stopped)
      expect((await read()).outcome.detail_code).toBe('formulary_alternative_required')
    }
  })

  const unfound = { status: 'error', error_code: '75', error_message: expect.any(String), action_code: 'C' }
  const healthPlan = {
    status: 'success',
    health_plan_name: expect.any(String),
    plan_type: null,
    rx_bin: '610011',
    rx_pcn: null,
    rx_grp: null,
    effective_start_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    effective_end_date: null,
  }
  const governmentPlan = {
    ...healthPlan,
    plan_type: expect.stringMatching(/^(medicare|medicare_advantage|medicaid|tricare)$/),
  }

  it.each([
    [testValues.eligibilityError, {}, 'eligibility_check_error', unfound],
    [testValues.eligibilityError, { ignore_eligibility_check_error: true }, 'approval', unfound],
    [testValues.governmentPlan, {}, 'eligibility_check_government_plan', governmentPlan],
    [
      testValues.governmentPlan,
      { submit_pa_with_eligibility_check_government_plan: false },
      'eligibility_check_government_plan',
      governmentPlan,
    ],
    [testValues.governmentPlan, { submit_pa_with_eligibility_check_government_plan: true }, 'approval', governmentPlan],
    ['rx-9', {}, 'approval', healthPlan],
  ])('of eligibility: %s with %j ends in %s', async (prescription_message_id, flags, detailCode, item) => {
    const ndp_submission = { ...ndpSubmission, prescription_message_id, ...flags }
    const { read, statuses } = await startWith({ ndp_submission })
    expect((await read()).eligibility_check_response).toBeNull()
    await statuses()
    const { outcome, status, eligibility_check_response } = await read()
    expect(eligibility_check_response).toEqual([item])
    expect([outcome.detail_code, status]).toEqual([
      detailCode,
      detailCode === 'approval' ? 'completed' : 'not_submitted',
    ])
  })

  it('of eligibility need a prescription at the service', async () => {
    const { read, statuses } = await startWith({})
    await statuses()
    expect((await read()).eligibility_check_response).toBeNull()
  })
})

describe('the real-time benefits check', () => {
  const type = 'prior_authorization.real_time_benefits_check_change'

  it('comes once, at any status, for a PA whose prescription is at the service', async () => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= 12; seed++) {
      const { receiver, webhook } = await startWebhook()
      const organizations = [{ id: 'org_a', webhooks: [webhook] }]
      const options = { seed, organizations, speed: 10_000_000 }
      const started = await startWith({ ndp_submission: ndpSubmission }, undefined, options)
      await started.sandbox.settled()
      const checks = receiver.received.filter(({ envelope }) => envelope.event_type === type)
      expect(checks).toHaveLength(1)
      expect(checks[0]?.envelope.data).toMatchObject({
        id: started.id,
        real_time_benefits_check_response: {
          patient_cost: expect.stringMatching(/^\$\d+\.\d\d$/),
          prior_auth_required: expect.any(Boolean),
          alternatives: expect.any(Array),
        },
      })
      seen.add(checks[0]?.envelope.data.status ?? '')
    }
    expect(seen.size).toBeGreaterThan(1)
  })

  it('does not come for other PAs, training data or cancelled PAs', async () => {
    const { sandbox, id, read } = await startWith({ ndp_submission: ndpSubmission })
    sandbox.controls.cancel(id)
    expect(sandbox.controls.step()).toBeUndefined()
    expect((await read()).real_time_benefits_check_response).toBeNull()
    for (const fields of [{}, { ndp_submission: ndpSubmission, is_training_data: true }]) {
      const other = await startWith(fields)
      await other.statuses()
      expect((await other.read()).real_time_benefits_check_response).toBeNull()
    }
  })
})

describe('training data', () => {
  it('is stored and never moves', async () => {
    const everything = { ndp_submission: ndpSubmission, trigger_benefit_verification, is_training_data: true }
    const { sandbox, read } = await startWith(everything)
    expect(sandbox.controls.step()).toBeUndefined()
    expect((await read()).status).toBe('created')
  })
})

describe('a benefit verification', () => {
  it('fails for an unsigned provider if the organization requires a signature', async () => {
    const { sandbox, call, create, read } = await startSandbox({
      organizations: [{ id: 'org_a', requiresProviderAuthorization: true }],
    })
    const ended = async () => {
      const id = await create('/benefit-verification', benefitVerification())
      while (sandbox.controls.step() !== undefined);
      return read(`/benefit-verification/${id}`)
    }
    const notSigned = { code: 'Provider Not Authorized' }
    expect(await ended()).toMatchObject({ status: 'failed', error: notSigned })
    const { first_name, last_name, npi } = benefitVerification().provider
    await call('post', '/provider/authorize', { first_name, last_name, npi }).expect(200)
    sandbox.controls.signProvider(npi)
    expect(await ended()).not.toMatchObject({ error: notSigned })
  })
})
