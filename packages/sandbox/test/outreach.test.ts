import { describe, expect, it } from 'vitest'
import { isSameState } from '../../client/src/schemas/same-state.ts'
import { ProviderOutreach, type ProviderOutreachResource } from '../../client/src/schemas/provider-outreach.ts'
import { testValues } from '../src/platform/test-values.ts'
import { startSandbox, startWebhook } from './play.ts'
import { priorAuthorization } from './requests.ts'

const type = 'prior_authorization.provider_outreach_change'
const { mock_result: _, provider, ...request } = priorAuthorization()

/** A pharmacy's PA with outreach, and every event of it in order. */
async function startWith(fields: object = {}, options: { seed?: number } = {}) {
  const { receiver, webhook } = await startWebhook({ events: [type] })
  const started = await startSandbox({
    ...options,
    organizations: [{ id: 'org_p', pharmacy: true, webhooks: [webhook] }],
    webhooks: { inFlight: 1 },
  })
  const { sandbox } = started
  const asked = {
    ...request,
    provider: { ...provider, fax: '555-0100', ...fields },
    provider_outreach: { enabled: true },
  }
  const { body } = await started.call('post', '/prior-authorization', asked).expect(200)
  const { id, provider_outreach } = body.data
  const [fax, other] = provider_outreach.attempts
  const delivered = async () => {
    while (sandbox.controls.deliveries().some(({ state }) => state === 'pending'))
      await new Promise((resolve) => setTimeout(resolve, 2))
    // The compiler cannot see that outreach events carry attempts, which their own envelope dates.
    return receiver.received.map(({ envelope }) => envelope as unknown as Told)
  }
  return { ...started, id, outreach: provider_outreach, fax, other, delivered }
}
interface Told {
  event_id: string
  occurred_at: string
  data: ProviderOutreachResource
}

describe('provider outreach', () => {
  it('begins over two channels, which the create answer names', async () => {
    const { id, outreach, delivered } = await startWith({ email: 'max@example.com' })
    expect(outreach).toEqual({
      outreach_sequence_id: expect.stringMatching(/^prov_outreach_seq_/),
      state: 'in_progress',
      attempts: ['fax', 'email'].map((channel) => ({
        id: expect.stringMatching(/^prov_outreach_/),
        channel,
        state: 'created',
      })),
    })
    const told = await delivered()
    expect(told.map(({ data }) => data.channel)).toEqual(['fax', 'email'])
    for (const { event_id, occurred_at, data } of told) {
      expect(event_id).toMatch(/^wh_evt_/)
      expect(occurred_at).toMatch(/^\d{4}-.*Z$/)
      expect(ProviderOutreach.parse(data)).toMatchObject({
        object: 'provider_outreach',
        outreach_sequence_id: outreach.outreach_sequence_id,
        prior_authorization_id: id,
        state: 'created',
        transmission: undefined,
      })
    }
    expect(new Set(told.map(({ event_id }) => event_id)).size).toBe(2)
  })

  it('reaches only a webhook that names its type', async () => {
    const { receiver, webhook } = await startWebhook()
    const { sandbox, call } = await startSandbox({
      organizations: [{ id: 'org_p', pharmacy: true, webhooks: [webhook] }],
    })
    const asked = { ...request, provider: { ...provider, fax: '555-0100' }, provider_outreach: { enabled: true } }
    await call('post', '/prior-authorization', asked).expect(200)
    while (sandbox.controls.step() !== undefined);
    await sandbox.settled()
    expect(receiver.types()).toContain('prior_authorization.status_change')
    expect(receiver.types()).not.toContain(type)
  })

  it('phones if no e-mail address is known', async () => {
    expect((await startWith()).other.channel).toBe('phone')
  })

  it('shows the transmission once sent, and never changes it', async () => {
    const { sandbox, id, fax, delivered } = await startWith()
    sandbox.controls.push(fax.id, 'sent')
    // By itself, so that time passes.
    while (sandbox.controls.outreach(id)[0]?.state === 'sent') sandbox.controls.step()
    sandbox.controls.push(fax.id, 'responded')
    const told = (await delivered()).filter(({ data }) => data.id === fax.id)
    expect(told.map(({ data }) => data.state)).toEqual(['created', 'sent', 'delivered', 'responded'])
    const [first, sent, ...later] = told.map(({ data }) => data.transmission)
    expect(first).toBeNull()
    expect(sent).toMatchObject({
      to: '555-0100',
      sent_at: expect.any(String),
      attachments: [{ file_name: 'request.pdf', url: expect.stringMatching(/^http:.*\/outreach\/request\.pdf\?/) }],
    })
    for (const transmission of later) expect(isSameState(transmission, sent)).toBe(true)
  })

  it('ends the sequence with the first answer and cancels the other attempt', async () => {
    const { sandbox, fax, other, id, delivered } = await startWith()
    for (const state of ['sent', 'delivered', 'responded']) sandbox.controls.push(fax.id, state)
    const told = (await delivered()).slice(-3).map(({ data }) => [data.id, data.state, data.outreach_sequence_state])
    expect(told).toEqual([
      [fax.id, 'delivered', 'in_progress'],
      [fax.id, 'responded', 'completed'],
      [other.id, 'cancelled', 'completed'],
    ])
    expect(sandbox.controls.outreach(id).map(({ state }) => state)).toEqual(['responded', 'cancelled'])
  })

  it('is exhausted once no attempt is left, without ending the PA', async () => {
    const { sandbox, fax, other, id, read, delivered } = await startWith({ fax: testValues.unreachableFax })
    for (const state of ['sent', 'failed']) sandbox.controls.push(other.id, state)
    while ((sandbox.controls.outreach(id)[0]?.state ?? '') !== 'failed') sandbox.controls.step()
    expect((await delivered()).at(-1)?.data).toMatchObject({
      id: fax.id,
      state: 'failed',
      outreach_sequence_state: 'exhausted',
    })
    expect(['created', 'processing']).toContain((await read(`/prior-authorization/${id}`)).status)
  })

  it("gives an attempt's events increasing times, even while time stands still", async () => {
    const { sandbox, fax, other, delivered } = await startWith()
    for (const state of ['sent', 'delivered', 'responded']) sandbox.controls.push(fax.id, state)
    for (const id of [fax.id, other.id]) {
      const told = (await delivered()).filter(({ data }) => data.id === id)
      const times = told.map(({ occurred_at }) => Date.parse(occurred_at))
      expect(times.length).toBeGreaterThan(1)
      expect(times).toEqual([...new Set(times)].toSorted((one, next) => one - next))
      expect(told.map(({ data }) => Date.parse(data.updated_at))).toEqual(times)
    }
  })

  it('stops with its PA', async () => {
    const { sandbox, id, delivered } = await startWith()
    sandbox.controls.cancel(id)
    expect(sandbox.controls.outreach(id)).toMatchObject([
      { state: 'cancelled', outreach_sequence_state: 'cancelled' },
      { state: 'cancelled', outreach_sequence_state: 'cancelled' },
    ])
    expect(sandbox.controls.step()).toBeUndefined()
    expect((await delivered()).at(-1)?.data.outreach_sequence_state).toBe('cancelled')
  })

  it('runs to its end by itself', async () => {
    const ends = new Set<string>()
    for (let seed = 1; seed <= 40 && ends.size < 2; seed++) {
      const { sandbox, id } = await startWith({}, { seed })
      while (sandbox.controls.step() !== undefined);
      const attempts = sandbox.controls.outreach(id)
      expect(new Set(attempts.map((one) => one.outreach_sequence_state)).size).toBe(1)
      ends.add(attempts[0]?.outreach_sequence_state ?? '')
    }
    expect([...ends]).not.toContain('in_progress')
    expect(ends.size).toBeGreaterThan(1)
  })

  it('does not begin for training data', async () => {
    const { call } = await startSandbox({ organizations: [{ id: 'org_p', pharmacy: true }] })
    const training = {
      provider: { ...provider, fax: '555-0100' },
      provider_outreach: { enabled: true },
      is_training_data: true,
    }
    const { body } = await call('post', '/prior-authorization', { ...request, ...training }).expect(200)
    expect(body.data.provider_outreach).toEqual({ outreach_sequence_id: null, state: 'not_started', attempts: [] })
  })
})
