import { afterEach, describe, expect, it } from 'vitest'
import { defineHandler, defineIntegration, PawlError, type Retry } from '../../../src/index.ts'
import {
  aBenefitVerification,
  anEvent,
  aPriorAuthorization,
  aPriorAuthorizationRequest,
  denied,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from '../src/index.ts'
import { shippedIntegration } from '../../../test/support/shipped-integration.ts'

const hourMs = 3_600_000
let gateway: TestGateway

async function start(options: Partial<TestGatewayOptions> = {}): Promise<TestGateway> {
  gateway = await startTestGateway({ integration: shippedIntegration, ...options })
  return gateway
}
afterEach(() => gateway?.close())

/** An integration with this handler alone, and a system that the kit does not know. */
function only(
  handle: (context: {
    billing: { invoice(id: string): Promise<unknown> }
    resource: { id: string }
    log: { info(fields: object, message: string): void }
  }) => Promise<void>,
) {
  const handler = defineHandler({
    name: 'only',
    on: ['prior_authorization.status_change'],
    // The compiler knows the systems of src/integration alone.
    handle: (context) => handle(context as unknown as Parameters<typeof handle>[0]),
  })
  return defineIntegration({ settings: {}, systems: () => ({ billing: { open: () => ({}) } }), handlers: [handler] })
}

describe('a test gateway', () => {
  it('brings the chart in sync with a delivery', async () => {
    await start()
    const event = anEvent(aPriorAuthorization({ status: 'completed', outcome: denied('plan_exclusion') }))
    expect(await gateway.deliver(event)).toEqual({ status: 202, eventId: 1, duplicate: false })
    await gateway.settle()
    expect(gateway.ehr.resources('ClaimResponse')).toMatchObject([{ outcome: 'complete' }])
    expect(await gateway.deliver(event)).toMatchObject({ status: 200, duplicate: true })
  })

  it('enrolls a patient at the enrollment host when a handler does', async () => {
    const enrolled: unknown[] = []
    const handler = defineHandler({
      name: 'enroll',
      on: ['prior_authorization.status_change'],
      async handle({ api }) {
        enrolled.push(await api.enrollPatient({ patient: { first_name: 'Testa', last_name: 'Sample' } }))
      },
    })
    await start({ integration: defineIntegration({ settings: {}, systems: () => ({}), handlers: [handler] }) })
    await gateway.deliver(anEvent(aPriorAuthorization({ status: 'completed' })))
    await gateway.settle()
    expect(enrolled).toEqual([{ status: 'success', data: { id: expect.stringMatching(/^enrollment_/) } }])
  })

  it("reads the service's current state, not the delivered one", async () => {
    await start()
    const first = anEvent(aBenefitVerification({ status: 'pending' }))
    gateway.service.holds(aBenefitVerification({ status: 'completed' }))
    await gateway.deliver(first)
    await gateway.settle()
    expect(gateway.ehr.resources('CoverageEligibilityResponse')).toMatchObject([{ outcome: 'complete' }])
  })

  it('follows a PA through days at the service by a jump of the clock', async () => {
    await start()
    const request = aPriorAuthorizationRequest({ mock_result: { result: 'Approved', detail_code: 'approval' } })
    const { id } = await gateway.service.api.createPriorAuthorization(request)
    await gateway.settle()
    expect(gateway.ehr.resources('Task')).toMatchObject([{ status: 'requested' }])
    const before = gateway.clock.now()
    await gateway.clock.advance(5 * 24 * hourMs)
    expect(gateway.clock.now() - before).toBeGreaterThanOrEqual(5 * 24 * hourMs)
    expect(gateway.service.truth().prior_authorizations).toMatchObject([{ id, status: 'completed' }])
    expect(gateway.ehr.resources('Task')[0]).toMatchObject({ status: 'completed' })
    // Each step at the service reached the chart as it happened.
    expect(Number(gateway.ehr.resources('Task')[0]?.meta?.versionId)).toBeGreaterThan(2)
  })

  it('polls a change without a webhook once it is due', async () => {
    await start()
    await gateway.deliver(anEvent(aPriorAuthorization()))
    await gateway.settle()
    gateway.service.holds(aPriorAuthorization({ status: 'cancelled' }))
    await gateway.clock.advance(60_000)
    expect(gateway.ehr.resources('Task')).not.toMatchObject([{ status: 'cancelled' }])
    await gateway.clock.advance(hourMs)
    expect(gateway.ehr.resources('Task')).toMatchObject([{ status: 'cancelled' }])
  })

  it('retries only once the clock reaches the due time', async () => {
    class ClosedForNow extends PawlError {
      readonly code = 'closed_for_now'
      override readonly retry: Retry = { afterMs: 10 * hourMs }
    }
    let runs = 0
    const integration = only(async () => {
      runs += 1
      if (runs === 1) throw new ClosedForNow('The office is closed.')
    })
    await start({ integration })
    await gateway.deliver(anEvent(aPriorAuthorization()))
    await gateway.settle()
    await gateway.clock.advance(hourMs)
    expect(runs).toBe(1)
    await gateway.clock.advance(15 * hourMs)
    expect(runs).toBe(2)
  })

  it("records calls of unknown systems, or uses the test's replacements", async () => {
    const integration = only(async ({ billing, resource }) => {
      await billing.invoice(resource.id)
    })
    await start({ integration })
    await gateway.deliver(anEvent(aPriorAuthorization()))
    await gateway.settle()
    expect(gateway.calls).toEqual([{ system: 'billing', method: 'invoice', args: ['pa_req_1'] }])
  })

  it('logs the fields that the integration adds, and no others, as production does', async () => {
    const integration = only(async ({ log }) => log.info({ invoice_id: 'inv-1', note_id: 'n-1' }, 'invoiced'))
    await start({ integration: { ...integration, logFields: ['invoice_id'] } })
    await gateway.deliver(anEvent(aPriorAuthorization()))
    await gateway.settle()
    const [line] = gateway.lines.filter(({ msg }) => msg === 'invoiced')
    expect(line).toMatchObject({ invoice_id: 'inv-1', note_id: '[redacted]' })
  })

  it('parks work that keeps failing, and reports it', async () => {
    const integration = only(() => Promise.reject(new TypeError('undefined is not an invoice')))
    await start({ integration })
    await gateway.deliver(anEvent(aPriorAuthorization()))
    await gateway.settle()
    expect(await gateway.parked()).toMatchObject([{ handler: 'only', resourceId: 'pa_req_1' }])
    expect(gateway.lines.filter(({ handler }) => handler === 'only').length).toBeGreaterThan(0)
  })

  it('names the pending work if it does not settle', async () => {
    let end = () => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    await start({ integration: only(() => ended) })
    await gateway.deliver(anEvent(aPriorAuthorization()))
    await expect(gateway.settle(200)).rejects.toThrow(/^This did not settle within 200 ms: resources in work: \d\.$/)
    end()
    await gateway.settle()
  })

  it('receives no webhook that the service loses', async () => {
    await start({ sandbox: { chaos: { sending: { drop: 1 } } } })
    await gateway.service.api.createPriorAuthorization(aPriorAuthorizationRequest())
    await gateway.settle()
    expect(gateway.ehr.writes).toBe(0)
  })

  it('stops at the end of its block', async () => {
    let url: string
    {
      await using own = await startTestGateway({ integration: shippedIntegration })
      url = own.url
      expect((await fetch(url)).status).toBe(404)
    }
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })
})
