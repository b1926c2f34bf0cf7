import { createHash } from 'node:crypto'
import { jwtVerify } from 'jose'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import type { TransferErrorCode } from '../../client/src/schemas/outcome.ts'
import type { Sandbox } from '../src/sandbox.ts'
import { startFarSide } from '../../testing/src/far-side.ts'
import { until } from '../../../test/support/until.ts'
import { startSandbox, startWebhook } from './play.ts'
import { benefitVerification, ndpSubmission, priorAuthorization } from './requests.ts'
import { retryAfterMs } from '../src/webhooks/deliverer.ts'
import { deliveryDefaults, type WebhookSettings } from '../src/webhooks/settings.ts'

const fast = { retryBaseMs: 5, retryMaxMs: 20, maxAttempts: 5, timeoutMs: 10_000 }

async function startWith(settings: Partial<WebhookSettings> = {}, options = {}) {
  const { receiver, webhook } = await startWebhook(settings)
  const started = await startSandbox({
    organizations: [{ id: 'org_a', webhooks: [webhook] }],
    webhooks: fast,
    ...options,
  })
  const { sandbox } = started
  /** Every transition one after the other, each delivered before the next. */
  const play = async () => {
    while (sandbox.controls.deliveries().some(({ state }) => state === 'pending')) await delivered()
    while (sandbox.controls.step() !== undefined) await delivered()
  }
  const delivered = async () => {
    while (sandbox.controls.deliveries().some(({ state }) => state === 'pending'))
      await new Promise((resolve) => setTimeout(resolve, 2))
  }
  const statuses = () => receiver.received.map(({ envelope }) => envelope.data.status)
  return { ...started, receiver, webhook, play, delivered, statuses }
}

const paStatus = 'prior_authorization.status_change'
const benefitsCheckChange = 'prior_authorization.real_time_benefits_check_change'
const transferChange = 'prior_authorization.prescription_transfer_change'

describe('the events', () => {
  it('report every status of a PA once, with a snapshot of the resource', async () => {
    const { create, play, receiver, statuses } = await startWith()
    const id = await create('/prior-authorization', priorAuthorization())
    await play()
    expect(receiver.types()).toEqual(Array(4).fill(paStatus))
    expect(statuses()).toEqual(['created', 'processing', 'awaiting_outcome', 'completed'])
    expect(receiver.received[0]?.envelope).toMatchObject({
      title: 'Prior Authorization Updated',
      description: expect.any(String),
      data: { id, object: 'prior_authorization', outcome: { result: 'Pending' } },
    })
  })

  it('report a changed outcome without a change of status', async () => {
    const { sandbox, create, read, delivered, receiver } = await startWith()
    const id = await create('/prior-authorization', priorAuthorization({ mock_result: { result: 'Approved' } }))
    const outcome = { result: 'Denied', detail_code: 'plan_exclusion' } as const
    // Deliveries arrive in the order of the pushes only where each waits for the one before.
    for (const status of ['processing', 'awaiting_outcome', 'validating_outcome']) {
      await delivered()
      sandbox.controls.push(id, status)
    }
    await delivered()
    sandbox.controls.push(id, 'validating_outcome', { outcome })
    await delivered()
    const told = (outcome: object) => ({ event_type: paStatus, data: { status: 'validating_outcome', outcome } })
    expect(receiver.received.slice(-2).map(({ envelope }) => envelope)).toMatchObject([
      told({ result: 'Approved' }),
      told(outcome),
    ])
    expect(() => sandbox.controls.push(id, 'validating_outcome')).toThrow('cannot become validating_outcome')
    const unfit = { result: 'Denied', detail_code: 'approval' } as const
    expect(() => sandbox.controls.push(id, 'validating_outcome', { outcome: unfit })).toThrow('is not an outcome')
    sandbox.controls.push(id, 'completed')
    expect(await read(`/prior-authorization/${id}`)).toMatchObject({ status: 'completed', outcome })
    sandbox.controls.push(id, 'completed', { outcome: { result: 'Approved' } })
    await delivered()
    expect(receiver.received.at(-1)?.envelope).toMatchObject({
      event_type: paStatus,
      data: { status: 'completed', outcome: { result: 'Approved' } },
    })
    expect(() => sandbox.controls.push(id, 'completed')).toThrow('legal next: none')
  })

  type Steps = [status: string, attempts: number, confirmations: number][]
  const begun: Steps = [
    ['in_progress', 1, 0],
    ['in_progress', 1, 1],
  ]
  it.each<[end: string, prescription_transfer_error_code: TransferErrorCode | undefined, steps: Steps]>([
    ['well', undefined, [...begun, ['completed', 1, 1]]],
    ['in an error', 'prescription_transfer_not_received', [...begun, ['error', 1, 1]]],
  ])('report each step of a transfer that ends %s, and no further PA status', async (_, code, steps) => {
    // With this seed the pharmacy confirms at the first attempt, unless the code says otherwise.
    const { create, play, receiver } = await startWith({}, { seed: 9 })
    const mock_result = { result: 'Approved', ...(code && { prescription_transfer_error_code: code }) } as const
    await create('/prior-authorization', priorAuthorization({ mock_result, ndp_submission: ndpSubmission }))
    await play()
    const told = receiver.received
      .map(({ envelope }) => envelope)
      .filter(({ event_type }) => event_type !== benefitsCheckChange)
    expect(told.splice(0, 4).map(({ event_type }) => event_type)).toEqual(Array(4).fill(paStatus))
    expect(told).toMatchObject(
      steps.map(([status, attempts, confirmations]) => ({
        event_type: transferChange,
        data: {
          status: 'completed',
          prescription_transfer: {
            status,
            transfer_attempts: { length: attempts },
            confirmation_attempts: { length: confirmations },
          },
        },
      })),
    )
  })

  it('report a cancelled transfer only if it had begun', async () => {
    const { sandbox, call, create, read, play, delivered, receiver } = await startWith()
    const cancelled = async (prescription_message_id: string, attempts: number) => {
      const ndp_submission = { ...ndpSubmission, prescription_message_id }
      const path = `/prior-authorization/${await create('/prior-authorization', priorAuthorization({ ndp_submission }))}`
      while (((await read(path)).prescription_transfer?.transfer_attempts.length ?? 0) < attempts)
        sandbox.controls.step()
      await delivered()
      await call('post', `${path}/prescription-transfer/cancel`).expect(200)
      await play()
      const told = receiver.received.splice(0).filter(({ envelope }) => envelope.event_type === transferChange)
      return told.map(({ envelope }) => envelope.data)
    }
    const step = (status: string) => ({ prescription_transfer: { status } })
    expect(await cancelled('rx-1', 1)).toMatchObject([step('in_progress'), step('cancelled')])
    expect(await cancelled('rx-2', 0)).toEqual([])
  })

  it('report a message of either team with the whole PA, even after its end', async () => {
    const { sandbox, create, read, play, delivered, receiver } = await startWith()
    const id = await create('/prior-authorization', priorAuthorization())
    await play()
    for (const direction of ['sent', 'received'] as const) {
      const { id: messageId } = sandbox.controls.addMessage(id, { content: 'Hello', direction })
      await delivered()
      const resource = await read(`/prior-authorization/${id}`)
      expect(receiver.received.at(-1)?.envelope).toMatchObject({
        event_type: 'prior_authorization.message',
        data: resource,
      })
      expect(resource.message_thread.messages.at(-1)).toMatchObject({ id: messageId, content: 'Hello', direction })
    }
  })

  it('go to each enabled webhook with their type, the activity log only if named', async () => {
    const { receiver: log, webhook: logHook } = await startWebhook({
      name: 'log',
      events: ['prior_authorization.activity_log_updated'],
    })
    const { receiver: off, webhook: offHook } = await startWebhook({ name: 'off', enabled: false })
    const { sandbox, create, play, receiver } = await startWith()
    sandbox.controls.putWebhook(logHook)
    sandbox.controls.putWebhook(offHook)
    await create('/prior-authorization', priorAuthorization())
    await play()
    expect(new Set(log.types())).toEqual(new Set(['prior_authorization.activity_log_updated']))
    expect(receiver.types()).toEqual(Array(4).fill(paStatus))
    expect(off.received).toEqual([])
  })
})

describe('a delivery', () => {
  it("carries an expiring JWT of the secret, and the body's digest if configured", async () => {
    const { create, delivered, receiver, webhook } = await startWith({ bodyDigest: true })
    await create('/prior-authorization', priorAuthorization())
    await delivered()
    const [first] = receiver.received
    const { payload } = await jwtVerify(first?.token ?? '', new TextEncoder().encode(webhook.secret), {
      algorithms: ['HS256'],
    })
    expect(payload).toEqual({
      iat: expect.any(Number),
      exp: (payload.iat ?? 0) + 300,
      body_sha256: createHash('sha256')
        .update(first?.body ?? '')
        .digest('hex'),
    })
  })

  it('is retried with the same bytes until it is acknowledged', async () => {
    const { sandbox, create, delivered, receiver } = await startWith({}, { webhooks: { ...fast, timeoutMs: 3_000 } })
    receiver.answers.push(500, 302, 'silence', 410)
    await create('/prior-authorization', priorAuthorization())
    await delivered()
    const [delivery] = sandbox.controls.deliveries()
    expect(delivery?.state).toBe('delivered')
    expect(delivery?.attempts.map(({ status, error }) => status ?? error)).toEqual([500, 302, 'timeout', 410, 200])
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    expect(receiver.received).toHaveLength(5)
  })

  it.each([200, 202, 204, 299])('is acknowledged by any 2xx, such as %d', async (status) => {
    const { sandbox, create, delivered, receiver } = await startWith()
    receiver.answers.push(status)
    await create('/prior-authorization', priorAuthorization())
    await delivered()
    expect(sandbox.controls.deliveries()).toMatchObject([{ state: 'delivered', attempts: [{ status }] }])
  })

  it('is given up after the last attempt, with each error', async () => {
    const { sandbox, create, delivered } = await startWith({ url: 'http://127.0.0.1:1/nobody' })
    await create('/prior-authorization', priorAuthorization())
    await delivered()
    const [delivery] = sandbox.controls.deliveries()
    expect(delivery).toMatchObject({ state: 'given_up' })
    expect(delivery?.attempts).toHaveLength(5)
    expect(delivery?.attempts[0]?.error).toEqual(expect.any(String))
  })

  it('gets ten attempts by default, with a backoff that doubles up to a minute', () => {
    const attempts = Array.from({ length: deliveryDefaults.maxAttempts }, (_, index) => index + 1)
    const waits = (chance: number) =>
      attempts.map((attempt) => retryAfterMs(attempt, deliveryDefaults, { next: () => chance }) / 1_000)
    expect(waits(1)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
    expect(waits(0)).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30])
  })

  it.each([
    [
      'switched off',
      (sandbox: Sandbox, webhook: WebhookSettings) => sandbox.controls.putWebhook({ ...webhook, enabled: false }),
    ],
    ['removed', (sandbox: Sandbox, { name }: WebhookSettings) => sandbox.controls.removeWebhook(name)],
  ])('gets no further attempt once its webhook is %s', async (_name, change) => {
    const { sandbox, create, delivered, receiver, webhook } = await startWith()
    receiver.answers.push(...Array<'silence'>(2).fill('silence'))
    await create('/prior-authorization', priorAuthorization())
    await until('the first attempt', () => receiver.received.length === 1)
    change(sandbox, webhook)
    receiver.close().catch(() => {})
    await delivered()
    const [delivery] = sandbox.controls.deliveries()
    expect(delivery?.state).toBe('given_up')
    expect(delivery?.attempts.map(({ error }) => error)).toEqual([
      expect.stringMatching(/ECONN|UND_ERR|closed/),
      'the webhook is switched off or was removed',
    ])
    expect(receiver.received).toHaveLength(1)
  })

  it.each([
    ['short', 'x'],
    ['strange', 'ключ ✓ "\'\\'],
    ['blank', ' '],
    ['long', 'a'.repeat(5_000)],
  ])('is signed with any chosen secret: a %s one', async (_name, secret) => {
    const { sandbox, create, delivered, receiver, webhook } = await startWith()
    const settings = { name: webhook.name, url: webhook.url, secret }
    const { body } = await request(sandbox.app).put('/_sandbox/organizations/org_a/webhooks').send(settings).expect(200)
    const isShort = secret.length < 32
    expect(body.data.warnings).toEqual(isShort ? [expect.stringContaining('32 characters')] : [])
    await create('/prior-authorization', priorAuthorization())
    await delivered()
    const key = new TextEncoder().encode(secret)
    await jwtVerify(receiver.received[0]?.token ?? '', key, { algorithms: ['HS256'] })
  })

  it('is redelivered with the same bytes on demand', async () => {
    const { sandbox, create, delivered, receiver } = await startWith()
    await create('/prior-authorization', priorAuthorization())
    await delivered()
    const copy = sandbox.controls.redeliver(1)
    await delivered()
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body)
    expect(sandbox.controls.deliveries().at(-1)).toMatchObject({ id: copy, copyOf: 1, state: 'delivered' })
    expect(() => sandbox.controls.redeliver(99)).toThrow('There is no delivery 99')
  })

  it('can be redelivered once stale', async () => {
    const { sandbox, create, play, delivered, statuses } = await startWith()
    const id = await create('/prior-authorization', priorAuthorization())
    expect(() => sandbox.controls.redeliverStale(id)).toThrow('no stale delivery yet')
    await play()
    sandbox.controls.redeliverStale(id, { afterMs: 5 })
    await sandbox.settled()
    await delivered()
    expect(statuses().slice(-2)).toEqual(['completed', 'created'])
  })

  it('does not wait for the slow receiver of another webhook', async () => {
    const { receiver: slow, webhook: slowHook } = await startWebhook({ name: 'slow' })
    slow.answers.push('silence')
    const { sandbox, create, receiver } = await startWith({}, { webhooks: { ...fast, inFlight: 1 } })
    sandbox.controls.putWebhook(slowHook)
    await create('/prior-authorization', priorAuthorization())
    while (sandbox.controls.step() !== undefined);
    while (receiver.received.length < 4) await new Promise((resolve) => setTimeout(resolve, 2))
    expect(slow.received.length).toBeLessThanOrEqual(1)
  })
})

describe('a sandbox at speed', () => {
  it('plays everything by itself and settles once all is delivered', async () => {
    // On a busy machine the receiver may need longer than `fast` gives it; what is tried again is received twice.
    const { sandbox, create, receiver } = await startWith({}, { speed: 10_000_000, webhooks: {} })
    for (let count = 0; count < 20; count++)
      await create(
        '/prior-authorization',
        priorAuthorization({ ndp_submission: { ...ndpSubmission, prescription_message_id: `rx-${count}` } }),
      )
    await create('/benefit-verification', benefitVerification({ mock_result: { status: 'completed' } }))
    await sandbox.settled()
    const { prior_authorizations, benefit_verifications } = sandbox.truth()
    expect(prior_authorizations.every(({ prescription_transfer: transfer }) => transfer?.status === 'completed')).toBe(
      true,
    )
    expect(benefit_verifications).toMatchObject([{ status: 'completed' }])
    expect(receiver.received).toHaveLength(sandbox.controls.deliveries().length)
  })

  it('settles once its last scheduled transition is cancelled', async () => {
    const { sandbox, call, create } = await startSandbox()
    const id = await create('/prior-authorization', priorAuthorization())
    const settled = sandbox.settled()
    await call('post', `/prior-authorization/${id}/cancel`, { cancellation_reason: 'x' }).expect(200)
    await settled
  })

  it('closes despite pending retries, drops its listeners and rejects waiting callers', async () => {
    const { sandbox, create, receiver } = await startWith({}, { webhooks: { ...fast, retryBaseMs: 60_000 } })
    const listener = await sandbox.listen()
    await request(listener.url).get('/status').expect(401)
    receiver.answers.push(500)
    await create('/prior-authorization', priorAuthorization())
    const settled = sandbox.settled().catch((error: unknown) => error)
    await sandbox.close()
    await sandbox.close()
    expect(await settled).toBeInstanceOf(Error)
    await expect(sandbox.settled()).rejects.toThrow('closed')
    await expect(request(listener.url).get('/status')).rejects.toThrow('ECONNREFUSED')
    const next = await startFarSide(() => 'cut', Number(new URL(listener.url).port))
    expect(next.url).toBe(listener.url)
    await next.close()
  })
})
