import { describe, expect, it } from 'vitest'
import type { BenefitVerificationCase } from '../../client/src/schemas/benefit-verification.ts'
import { startSandbox, stepThrough } from './play.ts'
import { benefitVerification, priorAuthorization } from './requests.ts'

async function startWith(fields: Parameters<typeof benefitVerification>[0]) {
  const started = await startSandbox()
  const id = await started.create('/benefit-verification', benefitVerification(fields))
  const path = `/benefit-verification/${id}`
  const read = () => started.read(path)
  return { ...started, id, path, read, statuses: () => stepThrough(started.sandbox, read) }
}

/** Coverage, whether a PA is required, whether there is a copay, whether a PA is active. */
const expected: Record<
  Exclude<BenefitVerificationCase, 'patient_consent_required'>,
  [coverage: string, required: string, hasCopay: boolean, isActive: boolean]
> = {
  drugs_covered__prior_auth_required__has_copay: ['covered', 'yes', true, false],
  drugs_covered__prior_auth_required__no_copay: ['covered', 'yes', false, false],
  drugs_covered__prior_auth_not_required__has_copay: ['covered', 'no', true, false],
  drugs_covered__prior_auth_not_required__no_copay: ['covered', 'no', false, false],
  drugs_not_covered__prior_auth_na__no_copay: ['not_covered', 'not_applicable', false, false],
  reverification__existing_pa: ['covered', 'yes', true, true],
  reverification__no_existing_pa: ['covered', 'yes', true, false],
}

describe('a benefit verification', () => {
  it('shows nothing of its drugs while it is pending', async () => {
    const { id, read } = await startWith({})
    expect(id).toMatch(/^bv_[a-z0-9]+$/)
    const resource = await read()
    expect(resource).toMatchObject({
      object: 'benefit_verification',
      status: 'pending',
      review_status: 'not_reviewed',
      priority: 3,
      patient_plan_fund_source: 'question_not_asked',
      verification_methods: [],
    })
    expect([resource.patient_coverage_status, resource.error]).toEqual([null, null])
    const untold = {
      coverage: null,
      coverage_detail_code: null,
      prior_authorization_required: null,
      has_active_prior_auth: null,
      copay: null,
      copay_options: [],
      determination_details: null,
    }
    expect(resource.drugs).toEqual([
      { name: 'Examplumab', dosage: '10 mg', ndc: null, quantity: 4, ...untold },
      { name: null, dosage: null, ndc: '12345-6789-01', quantity: 1, ...untold },
    ])
  })

  it.each(Object.entries(expected))('honours the case %s', async (mocked, shown) => {
    const [coverage, required, hasCopay, isActive] = shown
    // The keys are cases.
    const { statuses, read } = await startWith({
      mock_result: { status: 'completed', case: mocked as BenefitVerificationCase },
    })
    expect(await statuses()).toEqual(['pending', 'completed'])
    const resource = await read()
    expect(resource.drugs).toHaveLength(2)
    for (const drug of resource.drugs) {
      expect(drug).toMatchObject({ coverage, prior_authorization_required: required, has_active_prior_auth: isActive })
      expect(drug.copay).toEqual(hasCopay ? expect.any(String) : null)
      const option = { amount_cents: expect.toSatisfy(Number.isInteger), supply_duration_days: expect.any(Number) }
      expect(drug.copay_options).toEqual(hasCopay ? [option, option] : [])
      expect(drug.determination_details).toMatchObject({ is_on_formulary: coverage === 'covered' })
    }
    expect(resource.verification_methods).toEqual([
      {
        id: expect.stringMatching(/^bva_[a-z0-9]+$/),
        type: 'ai_call',
        transcript: expect.any(String),
        recording_url: null,
      },
    ])
  })

  it('fails with an error when mock_result says so', async () => {
    const { statuses, read } = await startWith({ mock_result: { status: 'failed' } })
    expect(await statuses()).toEqual(['pending', 'failed'])
    expect(await read()).toMatchObject({
      status: 'failed',
      review_status: 'not_reviewed',
      patient_coverage_status: 'unknown',
      error: {
        title: expect.stringMatching(/./),
        code: 'Unable to Gather Benefits',
        detail_code: null,
        message: expect.stringMatching(/./),
        detail_message: null,
      },
    })
  })

  it('is linked to the cancelled one that it replaces', async () => {
    const { call, create, id, path, read } = await startWith({})
    const request = benefitVerification({ replaces: id })
    const { body: refused } = await call('post', '/benefit-verification', request).expect(400)
    expect(refused.error.code).toBe('other')
    await call('post', `${path}/cancel`).expect(204)
    const replacement = await create('/benefit-verification', request)
    expect((await read()).replaced_by).toBe(replacement)
    const { body } = await call('get', `/benefit-verification/${replacement}`).expect(200)
    expect(body.data.replaces).toBe(id)
  })
})

describe('the consent of a patient', () => {
  it.each(['completed', 'failed'] as const)(
    'that is required fails the BV, also when %s was asked for',
    async (status) => {
      const { statuses, read } = await startWith({ mock_result: { status, case: 'patient_consent_required' } })
      expect(await statuses()).toEqual(['pending', 'failed'])
      expect((await read()).error).toMatchObject({
        code: 'Patient Consent Required',
        detail_code: 'patient_consent_required',
      })
    },
  )
})

describe('a clinical qualification', () => {
  it('is evaluated drug by drug', async () => {
    const { sandbox, create, read } = await startSandbox()
    const { patient, provider } = priorAuthorization()
    const drugs = [{ drug_name: 'Examplumab' }, { drug_name: 'Placebol' }]
    const date_created = '2026-01-01T10:00:00'
    const evidenced = [
      { visit_notes: [{ content: 'Seen.', date_created }] },
      { questionnaires: [{ questions: [], date_created }] },
      { evidence: [{ title: 'Vitals', date_created, content: {} }] },
    ]
    const [bare = '', ...others] = await Promise.all(
      [{}, ...evidenced].map((fields) => create('/clinical-qualification', { patient, provider, drugs, ...fields })),
    )
    const results = async (id: string) => (await read(`/clinical-qualification/${id}`)).results
    const each = (fields: object) => drugs.map((drug) => ({ drug, ...fields }))
    expect(bare).toMatch(/^cq_[a-z0-9]+$/)
    expect((await read(`/clinical-qualification/${bare}`)).object).toBe('clinical_qualification')
    for (const id of [bare, ...others])
      expect(await results(id)).toEqual(each({ status: 'pending', unqualified_reasons: [] }))
    while (sandbox.controls.step() !== undefined);
    const unqualified_reasons = [{ description: expect.any(String) }]
    expect(await results(bare)).toEqual(each({ status: 'unqualified', unqualified_reasons }))
    for (const id of others) expect(await results(id)).toEqual(each({ status: 'qualified', unqualified_reasons: [] }))
  })
})
