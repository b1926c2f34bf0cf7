import { describe, expect, it } from 'vitest'
import { isSameState } from '../../client/src/schemas/same-state.ts'
import { PriorAuthorization } from '../../client/src/schemas/prior-authorization.ts'
import type { MockResultRequest } from '../../client/src/schemas/outcome.ts'
import { evenDetours, startSandbox, stepThrough } from './play.ts'
import { ndpSubmission, priorAuthorization } from './requests.ts'
import type { OrganizationSettings } from '../src/access/organization-request.ts'

const nonDelegated: OrganizationSettings = { id: 'org_n', workflow: 'non_delegated' }
const always = { awaitingProviderResponse: 1, validatingOutcome: 1 }

async function startWith(fields: Parameters<typeof priorAuthorization>[0], options = {}) {
  const started = await startSandbox(options)
  const id = await started.create('/prior-authorization', priorAuthorization(fields))
  const path = `/prior-authorization/${id}`
  const read = () => started.read(path)
  return { ...started, id, path, read, statuses: () => stepThrough(started.sandbox, read) }
}

/** A whole journey with every detour, at a fixed time. */
async function journey() {
  const { id, statuses, read } = await startWith({}, { clock: { now: () => 1_767_225_600_000 }, detours: always })
  await statuses()
  return { id, resource: await read() }
}

describe('a prior authorization', () => {
  it('is created with a pending outcome and the shape of the specification', async () => {
    const { id, read } = await startWith({})
    expect(id).toMatch(/^pa_req_[a-z0-9]+$/)
    const resource = await read()
    expect(resource).toMatchObject({
      id,
      object: 'prior_authorization',
      status: 'created',
      outcome: { result: 'Pending', detail: null, detail_code: null },
      priority: 2,
      patient: { first_name: 'Testa', address: { country: 'US', zip_postal_code: '01234' } },
      insurance: [
        {
          scanned_content: { member_number: null },
          discrete_content: { member_number: 'M-1' },
          url: expect.any(String),
        },
      ],
      message_thread: { is_resolved: false, messages: [] },
      activity_log: [],
      prescription_transfer: null,
      is_appeal: false,
    })
    expect(PriorAuthorization.parse(resource).patient?.first_name).toBe('Testa')
  })

  it('waits for a manual review until it is given', async () => {
    const started = await startWith({}, { organizations: [{ ...nonDelegated, manualReview: true }] })
    expect((await started.statuses()).at(-1)).toBe('awaiting_review')
    await started.sandbox.settled()
    started.sandbox.controls.review(started.id)
    expect(await started.statuses()).toEqual(['awaiting_outcome', 'completed'])
    expect(() => started.sandbox.controls.review(started.id)).toThrow('completed cannot become reviewed')
  })

  it('logs the fax that was sent for it and the one that came back', async () => {
    const { statuses, read } = await startWith({})
    await statuses()
    expect((await read()).activity_log).toEqual(
      ['sent_fax', 'received_fax'].map((type) => ({
        id: expect.any(String),
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        type,
        details: { url: expect.stringMatching(/^http:/) },
      })),
    )
  })

  it('may wait for the provider, be validated and go back', async () => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= 8; seed++) {
      const { statuses } = await startWith({}, { detours: always, seed })
      seen.add((await statuses()).slice(2).join(' '))
    }
    const start = 'awaiting_outcome awaiting_provider_response awaiting_outcome validating_outcome'
    expect([...seen].toSorted()).toEqual([`${start} awaiting_outcome completed`, `${start} completed`])
  })

  it.each([
    ['awaiting_provider_response', 'more_information_required'],
    ['validating_outcome', 'approval'],
  ])('has not ended when it is %s with the detail code %s', async (status, detail_code) => {
    const { sandbox, id, read, statuses } = await startWith({})
    for (const next of ['processing', 'awaiting_outcome', status]) sandbox.controls.push(id, next)
    expect(await read()).toMatchObject({ status, outcome: { detail_code } })
    expect((await statuses()).at(-1)).toBe('completed')
  })

  it('is not submitted without clinical content', async () => {
    const { mock_result: _, diagnoses: __, ...bare } = priorAuthorization()
    const { sandbox, create, read } = await startSandbox()
    const path = `/prior-authorization/${await create('/prior-authorization', bare)}`
    await stepThrough(sandbox, () => read(path))
    expect(await read(path)).toMatchObject({
      status: 'not_submitted',
      outcome: { result: 'Not Submitted', detail_code: 'more_information_required' },
    })
  })

  it.each<[MockResultRequest, string]>([
    [{ result: 'Approved' }, 'approval'],
    [{ result: 'Approved', detail_code: 'existing_approval' }, 'existing_approval'],
  ])('is approved for a year from its decision, as mock_result %j says', async (mock_result, detail_code) => {
    const { statuses, read } = await startWith({ mock_result })
    await statuses()
    const { outcome, activity_log } = await read()
    const { authorization_start_date: start, authorization_expiration: end } = outcome
    expect(outcome.detail_code).toBe(detail_code)
    expect(start).toBe(activity_log.at(-1).created_at.slice(0, 10))
    expect(Date.parse(end) - Date.parse(start)).toBe(365 * 24 * 3_600_000)
  })

  it.each(['C-1', undefined])('is denied with the client code %j of mock_result', async (client_code) => {
    const { statuses, read } = await startWith({ mock_result: { result: 'Denied', client_code } })
    await statuses()
    const { outcome } = await read()
    expect(outcome).toMatchObject({
      detail_code: 'medical_necessity_criteria_not_met',
      client_code: client_code ?? null,
    })
  })

  it('sends a message when mock_result asks for one', async () => {
    const { statuses, read } = await startWith({ mock_result: { result: 'Other', trigger_message: true } })
    await statuses()
    expect((await read()).message_thread.messages).toMatchObject([
      { direction: 'received', content: expect.any(String) },
    ])
    const quiet = await startWith({ mock_result: { result: 'Other' } })
    await quiet.statuses()
    expect((await quiet.read()).message_thread.messages).toEqual([])
  })

  it('takes the same path from the same seed', async () => {
    expect(isSameState(await journey(), await journey())).toBe(true)
  })

  it('takes hours to days of sandbox time', async () => {
    const start = 1_767_225_600_000
    const { statuses, read } = await startWith({}, { clock: { now: () => start } })
    await statuses()
    const [sent, received] = (await read()).activity_log
    const hours = (at: string) => (Date.parse(at) - start) / 3_600_000
    expect(hours(sent.created_at)).toBeGreaterThan(1)
    expect(hours(received.created_at)).toBeGreaterThan(hours(sent.created_at))
    expect(hours(received.created_at)).toBeLessThan(24 * 7)
  })

  it('without mock_result ends as the seed draws, and gets no diagnoses', async () => {
    const { mock_result: _, diagnoses: __, ...bare } = priorAuthorization()
    const visit_notes = [{ content: 'Seen for E66.9.', date_created: '2026-01-01T10:00:00' }]
    const ends = async () => {
      const { sandbox, create, read } = await startSandbox({ seed: 3, organizations: [nonDelegated] })
      const ids: string[] = []
      while (ids.length < 25) ids.push(await create('/prior-authorization', { ...bare, visit_notes }))
      while (sandbox.controls.step() !== undefined);
      const ended = await Promise.all(ids.map((id) => read(`/prior-authorization/${id}`)))
      for (const { diagnoses } of ended) expect(diagnoses).toEqual([])
      return ended.map(({ outcome }) => [outcome.result, outcome.detail_code])
    }
    const drawn = await ends()
    expect(drawn.map(([result]) => result)).toEqual(expect.arrayContaining(['Approved', 'Denied']))
    expect(await ends()).toEqual(drawn)
  })
})

describe('the prescription transfer', () => {
  it('follows an approval with an NDP submission and is confirmed', async () => {
    const { statuses, read } = await startWith({ ndp_submission: ndpSubmission })
    await statuses()
    const { prescription_transfer: transfer } = await read()
    expect(transfer).toMatchObject({
      status: 'completed',
      confirmed: true,
      error_code: null,
      transfer_attempts: [{ timestamp: expect.any(String), pharmacy_ncpdp_id: '0123456' }],
    })
    expect(transfer.confirmation_attempts.at(-1)).toEqual({ timestamp: expect.any(String), outcome: 'success' })
  })

  it.each<
    [
      code: NonNullable<Extract<MockResultRequest, { result: 'Approved' }>['prescription_transfer_error_code']>,
      attempts: number,
      confirmations: string[],
    ]
  >([
    ['pharmacy_does_not_exist', 1, []],
    ['pharmacy_permanently_closed', 1, []],
    ['pharmacy_unable_to_accept_transfer', 1, []],
    ['pharmacy_unable_to_fill_prescription', 1, ['failed']],
    ['prescription_transfer_not_received', 1, ['failed']],
    ['transfer_timed_out', 2, []],
    ['other', 1, []],
  ])('ends in error %s', async (code, attempts, confirmations) => {
    const { sandbox, read } = await startWith({
      ndp_submission: ndpSubmission,
      mock_result: { result: 'Approved', prescription_transfer_error_code: code },
    })
    const seen = new Set<string | undefined>()
    while (sandbox.controls.step() !== undefined) seen.add((await read()).prescription_transfer?.status)
    // It awaits the provider by chance, or when a control says so.
    expect([...seen]).toEqual([undefined, 'in_progress', 'error'])
    const { prescription_transfer: transfer, status } = await read()
    expect(status).toBe('completed')
    expect(transfer).toMatchObject({ status: 'error', confirmed: false, error_code: code })
    expect(transfer.transfer_attempts).toHaveLength(attempts)
    expect(transfer.confirmation_attempts.map(({ outcome }: { outcome: string }) => outcome)).toEqual(confirmations)
  })

  it('without a mock result can fail, be retried and wait by chance', async () => {
    const ways = new Set<string>()
    for (let seed = 1; seed <= 40; seed++) {
      const { sandbox, read } = await startWith(
        { ndp_submission: ndpSubmission, mock_result: undefined },
        { seed, detours: { ...evenDetours, awaitingProviderResponse: 0, validatingOutcome: 0 } },
      )
      const statuses = new Set<string | undefined>()
      while (sandbox.controls.step() !== undefined) statuses.add((await read()).prescription_transfer?.status)
      const { prescription_transfer: transfer } = await read()
      if (transfer === null) continue
      if (statuses.has('awaiting_provider_response')) ways.add(`waits, ${transfer.status}`)
      else if (transfer.status === 'error') ways.add(`error, ${transfer.error_code === null ? 'none' : 'coded'}`)
      else ways.add(`${transfer.status} after ${transfer.transfer_attempts.length}`)
    }
    expect([...ways].toSorted()).toEqual(['completed after 1', 'completed after 2', 'error, coded', 'waits, completed'])
  })

  it('with a mock result never fails by chance', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const mocked = { ndp_submission: ndpSubmission, mock_result: { result: 'Approved' } as const }
      const { statuses, read } = await startWith(mocked, { seed, detours: evenDetours })
      await statuses()
      expect((await read()).prescription_transfer).toMatchObject({ status: 'completed', error_code: null })
    }
  })

  it('goes to the pharmacy that was last preferred', async () => {
    const { call, path, statuses, read } = await startWith({ ndp_submission: ndpSubmission })
    const update = { preferred_pharmacy_ncpdp_id: '7654321' }
    const { body } = await call('patch', `${path}/ndp-submission`, update).expect(200)
    expect(body).toEqual({ status: 'success', data: update })
    await statuses()
    expect((await read()).prescription_transfer.transfer_attempts).toMatchObject([{ pharmacy_ncpdp_id: '7654321' }])
  })

  it.each(['Approved', 'Approval'] as const)('follows an approval by either word: %s', async (result) => {
    const { sandbox, id, statuses, read } = await startWith({ ndp_submission: ndpSubmission })
    for (const status of ['processing', 'awaiting_outcome']) sandbox.controls.push(id, status)
    sandbox.controls.push(id, 'completed', { outcome: { result } })
    await statuses()
    expect(await read()).toMatchObject({
      outcome: { result, detail_code: 'approval', authorization_expiration: expect.any(String) },
      out_of_pocket_costs: [expect.any(Object)],
      prescription_transfer: { status: 'completed' },
    })
  })

  it.each(['Denied', 'Not Submitted'] as const)('cannot be cancelled if none follows: %s', async (result) => {
    const { call, path, statuses, read } = await startWith({ ndp_submission: ndpSubmission, mock_result: { result } })
    await statuses()
    const { body } = await call('post', `${path}/prescription-transfer/cancel`).expect(400)
    expect(body).toEqual({ detail: 'Prior authorization request has no prescription transfer.' })
    expect((await read()).prescription_transfer).toBeNull()
  })
})
