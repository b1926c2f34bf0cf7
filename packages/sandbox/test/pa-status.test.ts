import { describe, expect, it } from 'vitest'
import { testValues } from '../src/platform/test-values.ts'
import { asOrganization, startSandbox } from './play.ts'
import { priorAuthorization } from './requests.ts'

const { patient, provider, insurance_content } = priorAuthorization()
const check = { patient, provider, insurance_content }

async function stepAll({ sandbox }: Pick<Awaited<ReturnType<typeof startSandbox>>, 'sandbox'>) {
  while (sandbox.controls.step() !== undefined);
}

describe('a PA status check', () => {
  it('is pending at first, and finds nothing if there is nothing', async () => {
    const started = await startSandbox()
    const id = await started.create('/pa-status', check)
    const pending = { id, object: 'pa_status', status: 'pending', failure_reason: null, prior_authorizations: null }
    expect(await started.read(`/pa-status/${id}`)).toEqual({ ...pending, effective_processing_method: 'instant' })
    await stepAll(started)
    expect(await started.read(`/pa-status/${id}`)).toMatchObject({ status: 'completed', prior_authorizations: [] })
  })

  it("finds the patient's PAs of the requested drugs, with normalized statuses", async () => {
    const started = await startSandbox()
    for (const result of ['Approved', 'Denied', 'Other', 'Not Submitted'] as const)
      await started.create('/prior-authorization', priorAuthorization({ mock_result: { result } }))
    await stepAll(started)
    await started.create('/prior-authorization', priorAuthorization({ is_training_data: true }))
    const other = { ...patient, internal_id: 'patient-2' }
    await started.create('/prior-authorization', priorAuthorization({ patient: other }))
    const found = await started.create('/pa-status', { ...check, insurance_content: { member_number: 'M-1' } })
    const none = await started.create('/pa-status', { ...check, drugs: [{ name: 'Placebol' }] })
    await stepAll(started)
    const { effective_processing_method, prior_authorizations } = await started.read(`/pa-status/${found}`)
    expect(effective_processing_method).toBe('standard')
    const drug = { name: 'Examplumab' }
    expect(prior_authorizations).toMatchObject([
      { status: 'approved', drug, authorization_expiration: expect.any(String) },
      { status: 'denied', drug, authorization_expiration: null },
      { status: 'other', drug },
      { status: 'other', drug },
      { status: 'in_progress', drug },
    ])
    expect((await started.read(`/pa-status/${none}`)).prior_authorizations).toEqual([])
  })

  it('fails for a test value in the patient id, and belongs to its organization', async () => {
    const started = await startSandbox({ organizations: [{ id: 'org_a' }, { id: 'org_b' }] })
    const failing = { ...patient, internal_id: testValues.failedStatusCheck }
    const id = await started.create('/pa-status', { ...check, patient: failing })
    await stepAll(started)
    expect(await started.read(`/pa-status/${id}`)).toMatchObject({
      status: 'failed',
      failure_reason: expect.any(String),
    })
    const other = await asOrganization(started.sandbox, 'org_b')
    expect((await other.call('get', `/pa-status/${id}`).expect(404)).body.error.code).toBe('not_found')
  })
})

describe('a patient enrollment', () => {
  it('is accepted under the path prefix of its separate host', async () => {
    const { call } = await startSandbox()
    const enrollment = {
      patient: { first_name: 'Testa', last_name: 'Sample', metadata: { patient_id: 'p-1' } },
      programId: 'program-1',
      evidence: [{ type: 'visit_note', content: { text: 'Seen.' } }],
    }
    const { body } = await call('post', '/enrollment/patient-enrollment', enrollment).expect(200)
    expect(body).toEqual({ status: 'success', data: { id: expect.stringMatching(/^enrollment_/) } })
    await call('post', '/patient-enrollment', enrollment).expect(404)
    const refused = await call('post', '/enrollment/patient-enrollment', { patient: {}, more: 1 }).expect(422)
    expect(refused.body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))).toEqual([
      'body.patient.first_name',
      'body.patient.last_name',
      'body.more',
    ])
  })

  it('accepts assets and evidence of any named kind, at http and https URLs', async () => {
    const { call } = await startSandbox()
    const send = (types: [asset: string, evidence: string], url: string) => {
      const [asset, type] = types
      const insurance_details = { assets: [{ type: asset, url: `${url}/card.png`, name: 'card.png' }] }
      const patient = { first_name: 'Testa', last_name: 'Sample', insurance_details }
      return call('post', '/enrollment/patient-enrollment', { patient, evidence: [{ type }] })
    }
    for (const url of ['http://files.example.com', 'https://files.example.com']) await send(['x', 'y'], url).expect(200)
    const { body } = await send(['', ''], 'ftp://files.example.com').expect(422)
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))).toEqual([
      'body.patient.insurance_details.assets.0.type',
      'body.patient.insurance_details.assets.0.url',
      'body.evidence.0.type',
    ])
  })
})
