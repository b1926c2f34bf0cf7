import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  BenefitVerification,
  benefitVerificationStatuses,
} from '../../packages/client/src/schemas/benefit-verification.ts'
import { isTerminal } from '../../packages/client/src/schemas/kinds.ts'
import {
  PriorAuthorization,
  priorAuthorizationStatuses,
} from '../../packages/client/src/schemas/prior-authorization.ts'
import { testValues } from '../../packages/sandbox/src/platform/test-values.ts'
import { BV, create, isPlain, PA, read } from './calls.ts'
import { readFixture, RequestFixture, ResourceFixture } from './spec-fixtures.ts'
import { createPriorAuthorization, startInterfaceWorld, type InterfaceWorld } from './interface-world.ts'

let world: InterfaceWorld
beforeEach(async () => {
  world = await startInterfaceWorld()
})

describe('a benefit verification', () => {
  const completed = { mock_result: { status: 'completed' } }
  const { body } = readFixture('requests/benefit-verification/minimal.json', RequestFixture)
  /** The ids of `count` BVs, created one after the other: then chance depends on the seed alone. */
  const several = async (count: number, fields: object) => {
    const ids: string[] = []
    while (ids.length < count) {
      const answer = await world.send(`POST ${BV}`, { body: { ...body, ...fields } })
      ids.push(z.object({ data: z.object({ id: z.string() }) }).parse(answer.body).data.id)
    }
    return ids
  }

  it('asks for the funding source only when told', async () => {
    const quiet = await create(world, BV, completed)
    const asking = await several(30, { ...completed, use_patient_plan_fund_source_check: true })
    world.finish()
    const notAsked = { patient_plan_fund_source: 'question_not_asked', patient_coverage_type: 'question_not_asked' }
    expect(await read(world, BV, quiet)).toMatchObject(notAsked)
    const told = await Promise.all(asking.map((id) => read(world, BV, id)))
    const pairs = told.map((bv) => `${String(bv.patient_plan_fund_source)} ${String(bv.patient_coverage_type)}`)
    expect([...new Set(pairs)].toSorted()).toEqual([
      'commercial other',
      'government medicaid',
      'government medicare',
      'government medicare_advantage',
      'government tricare',
      'unable_to_determine unable_to_determine',
    ])
  })

  it('a completed benefit verification tells what the insurer reported', async () => {
    const id = await create(world, BV, completed)
    world.finish()
    expect(await read(world, BV, id)).toMatchObject({
      status: 'completed',
      review_status: 'reviewed',
      patient_coverage_status: 'covered',
      drugs: [{ coverage_detail_code: 'insurer_reported_value' }],
    })
  })

  it('fails for every reason that chance knows, and for a card that cannot be read', async () => {
    const file_content = Buffer.from(`\x89PNG\r\n\x1a\n\0\0\0\0IDAT${testValues.unreadableCard}`, 'latin1').toString(
      'base64',
    )
    const unreadable = await create(world, BV, { insurance: [{ file_content }] }, 'benefit-verification/card-only')
    const ids = [unreadable, ...(await several(400, {}))]
    world.finish()
    const errors = await Promise.all(ids.map(async (id) => (await read(world, BV, id)).error))
    const codes = errors.filter(isPlain).map((error) => z.object({ code: z.string() }).parse(error).code)
    expect([...new Set(codes)].toSorted()).toEqual([
      'Document Info Missing or Incorrect',
      'Document Quality Error',
      'Insurance Card OCR Failure',
      'Insurance Unable to Provide Information',
      'Internal Error',
      'Patient Not Found',
      'Unable to Gather Benefits',
      'Unable to Route Call',
    ])
  })

  it('has four statuses, of which one is not terminal', () => {
    const statuses = readFixture('resources/benefit-verification/statuses.json', ResourceFixture).map(
      (resource) => BenefitVerification.parse(resource).status,
    )
    expect(statuses).toEqual(benefitVerificationStatuses)
    expect(statuses.filter((status) => !isTerminal('benefit_verification', status))).toEqual(['pending'])
  })

  it('a benefit verification that has ended is cancelled in vain', async () => {
    const id = await create(world, BV, completed)
    world.finish()
    expect(await world.send(`POST ${BV}/{id}/cancel`, { id })).toEqual({ status: 204, body: null })
    expect(await read(world, BV, id)).toMatchObject({ status: 'completed' })
  })
})

describe('a prior authorization', () => {
  it('ends with every documented outcome', async () => {
    const documented = readFixture('resources/prior-authorization/outcomes.json', ResourceFixture).map((resource) =>
      PriorAuthorization.parse(resource),
    )
    expect(documented).toHaveLength(32)
    for (const { status, outcome = {} } of documented) {
      const { result, detail_code } = outcome
      const id = await create(world, PA, { mock_result: { result, detail_code } })
      world.finish()
      const ended = PriorAuthorization.parse(await read(world, PA, id))
      expect(ended).toMatchObject({ status, outcome: { result, detail_code } })
      const shown = (fields: object) => Object.keys(fields).toSorted()
      expect(shown(ended.outcome ?? {})).toEqual(shown(outcome))
      expect(ended.outcome?.detail).toMatch(/^[A-Z][^_]{1,2046}\.$/)
    }
  })

  it("asks for the patient's consent where that is the outcome", async () => {
    const id = await create(world, PA, { mock_result: { result: 'Other', detail_code: 'patient_consent_required' } })
    expect(await read(world, PA, id)).toMatchObject({ patient_consent_required: false })
    world.finish()
    expect(await read(world, PA, id)).toMatchObject({ patient_consent_required: true })
  })

  const person = { first_name: expect.any(String), last_name: expect.any(String), email: expect.any(String) }
  it.each([
    ['delegated', null],
    ['non_delegated', person],
  ] as const)('tells who submitted and who reviewed where the workflow is %s', async (workflow, reviewed_by) => {
    const other = await startInterfaceWorld({ organizations: [{ id: 'org_demo', workflow }] })
    const id = await createPriorAuthorization(other, 'Approved')
    expect(await read(other, PA, id)).toMatchObject({ submitted_by: null, reviewed_by: null })
    other.finish()
    expect(await read(other, PA, id)).toMatchObject({ submitted_by: person, reviewed_by })
  })

  it('shows what a determination brings', async () => {
    const [approved, denied] = [
      await create(world, PA, { mock_result: { result: 'Approved' } }),
      await create(world, PA, { mock_result: { result: 'Denied' } }),
    ]
    world.finish()
    const costs = [{ amount_cents: expect.any(Number), supply_duration_days: expect.any(Number) }]
    expect(await read(world, PA, approved)).toMatchObject({ out_of_pocket_costs: costs, denial_reason_analysis: null })
    const sentence = expect.stringMatching(/^[A-Z].+\.$/)
    const analysis = {
      categories: [expect.any(String)],
      explanation: sentence,
      next_steps: sentence,
      next_steps_explanation: sentence,
    }
    expect(await read(world, PA, denied)).toMatchObject({ out_of_pocket_costs: [], denial_reason_analysis: analysis })
  })

  it('has a thread that a message resolves, until the next one', async () => {
    const id = await create(world, PA, {})
    const { controls } = world.sandbox
    for (const isResolution of [false, true, false]) {
      const { id: messageId } = controls.addMessage(id, { content: 'x', direction: 'sent', isResolution })
      const { message_thread } = await read(world, PA, id)
      expect(message_thread).toMatchObject({ is_resolved: isResolution })
      expect(
        z
          .object({ messages: z.array(z.unknown()) })
          .parse(message_thread)
          .messages.at(-1),
      ).toEqual({
        id: messageId,
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        content: 'x',
        sent_by_name: expect.any(String),
        direction: 'sent',
        is_resolution: isResolution,
        attachments: [],
      })
    }
  })

  it('a reason of cancellation and feedback are taken and not shown', async () => {
    const id = await create(world, PA, {})
    await world.api.sendFeedback(id, { category: 'canary', message: 'canary' })
    await world.api.cancelPriorAuthorization(id, 'canary')
    expect(JSON.stringify(await read(world, PA, id))).not.toContain('canary')
  })

  it('a body at fault is told before the prior authorization is looked for', async () => {
    for (const operation of [`POST ${PA}/{id}/cancel`, `POST ${PA}/{id}/feedback`, `PATCH ${PA}/{id}/ndp-submission`])
      expect(await world.send(operation, { id: 'pa_req_none', body: {} })).toMatchObject({ status: 422 })
  })

  it('a status that is not terminal stays so, with any outcome', () => {
    const statuses = readFixture('resources/prior-authorization/statuses.json', ResourceFixture).map(
      (resource) => PriorAuthorization.parse(resource).status,
    )
    expect(statuses).toEqual(priorAuthorizationStatuses)
    const running = statuses.filter((status) => !isTerminal('prior_authorization', status))
    expect(running).toEqual([
      'created',
      'processing',
      'awaiting_review',
      'awaiting_outcome',
      'awaiting_provider_response',
      'validating_outcome',
    ])
    expect(isTerminal('prior_authorization', 'pondering')).toBe(false)
  })
})

describe('the prescription transfer', () => {
  const ndp = (message: string, more: object = { preferred_pharmacy_ncpdp_id: '0034567' }) => ({
    ndp_submission: { prescription_message_id: message, ignore_eligibility_check_error: true, ...more },
  })
  const cancel = (id: string) => world.send(`POST ${PA}/{id}/prescription-transfer/cancel`, { id })
  const update = (id: string) =>
    world.send(`PATCH ${PA}/{id}/ndp-submission`, { id, body: { preferred_pharmacy_ncpdp_id: '0034567' } })
  const refused = { status: 400, body: { detail: expect.any(String) } }

  it.each([
    ['a transfer follows', { result: 'Approved', detail_code: 'prior_auth_not_required' }, true],
    ['a transfer follows', { result: 'Other', detail_code: 'prior_auth_not_required' }, true],
    ['no transfer follows', { result: 'Other', detail_code: 'duplicate_request' }, false],
  ])('%s %j', async (_name, mock_result, follows) => {
    const id = await create(world, PA, { ...ndp('rx-a'), mock_result })
    world.finish()
    expect((await read(world, PA, id)).prescription_transfer !== null).toBe(follows)
  })

  it('goes to a number also for a pharmacy that was only described', async () => {
    const described = ndp('rx-b', { preferred_pharmacy_details: 'at the corner' })
    const id = await create(world, PA, { ...described, mock_result: { result: 'Approved' } })
    world.finish()
    const attempts = [{ pharmacy_ncpdp_id: expect.stringMatching(/^\d{7}$/) }]
    expect(await read(world, PA, id)).toMatchObject({ prescription_transfer: { transfer_attempts: attempts } })
  })

  it('keeps the pharmacy from being changed after a transfer attempt', async () => {
    const id = await create(world, PA, { ...ndp('rx-c'), mock_result: { result: 'Approved' } })
    expect((await update(id)).status).toBe(200)
    world.finish()
    expect(await update(id)).toEqual(refused)
  })

  it('keeps the pharmacy from being changed once the PA has ended, whether or not a transfer follows', async () => {
    const id = await create(world, PA, { ...ndp('rx-e'), mock_result: { result: 'Denied' } })
    expect((await update(id)).status).toBe(200)
    world.finish()
    expect(await read(world, PA, id)).toMatchObject({ status: 'completed', prescription_transfer: null })
    expect(await update(id)).toEqual(refused)
  })

  it('is neither changed nor cancelled without an NDP submission', async () => {
    const id = await create(world, PA, {})
    expect(await update(id)).toEqual(refused)
    expect(await cancel(id)).toEqual(refused)
  })

  it('a transfer that failed is cancelled in vain', async () => {
    const mock_result = { result: 'Approved', prescription_transfer_error_code: 'other' }
    const id = await create(world, PA, { ...ndp('rx-d'), mock_result })
    world.finish()
    expect((await cancel(id)).status).toBe(200)
    expect(await read(world, PA, id)).toMatchObject({ prescription_transfer: { status: 'error', error_code: 'other' } })
  })
})
