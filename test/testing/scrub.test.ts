import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aMessage, anEvent, aPriorAuthorization, aPriorAuthorizationRequest, aTransfer, scrub } from '#pawl/testing'
import { BenefitVerificationResource } from '../../packages/client/src/schemas/benefit-verification.ts'
import { PriorAuthorizationResource } from '../../packages/client/src/schemas/prior-authorization.ts'
import { isNpi } from '../../packages/client/src/schemas/npi.ts'
import { createSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { aBenefitVerificationRequest } from '../../src/testing/request-builders.ts'
import { runPawl } from '../support/run-script.ts'
import { createApi } from '../../packages/client/src/api/client.ts'

const secret = 'the secret of this test'

/** The types of all fields, at any depth. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]))
  return value === null ? 'null' : typeof value
}

/** Every text in a document, but for the words that stay. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

describe('a scrubbed body of the service', () => {
  let sandbox: Sandbox
  const bodies: { event_type: string; data: unknown }[] = []

  beforeAll(async () => {
    sandbox = createSandbox({ speed: 0, seed: 3 })
    const { url } = await sandbox.listen()
    const api = createApi({ baseUrl: url, token: await sandbox.issueToken() })
    // No server listens at the discard port: the log holds the bodies all the same.
    sandbox.controls.putWebhook({ name: 'log', url: 'http://127.0.0.1:9/', secret, events: 'all' })
    const ndp_submission = {
      prescription_message_id: 'rx-4711',
      ignore_eligibility_check_error: false,
      preferred_pharmacy_ncpdp_id: '0123456',
    }
    await api.createPriorAuthorization(aPriorAuthorizationRequest({ ndp_submission }))
    for (const detail_code of ['plan_exclusion', 'unknown'] as const)
      await api.createPriorAuthorization(aPriorAuthorizationRequest({ mock_result: { result: 'Denied', detail_code } }))
    for (const status of ['completed', 'failed'] as const)
      await api.createBenefitVerification(aBenefitVerificationRequest({ mock_result: { status } }))
    sandbox.controls.setClock({ advanceMs: 30 * 86_400_000 })
    for (const { body } of sandbox.controls.deliveries())
      // As the sandbox writes it.
      bodies.push(JSON.parse(body) as (typeof bodies)[number])
  })
  afterAll(() => sandbox.close())

  it('is still what the service could have sent', () => {
    expect(bodies.length).toBeGreaterThan(10)
    for (const body of bodies) {
      const scrubbed = scrub(body, { secret })
      expect(shapeOf(scrubbed)).toEqual(shapeOf(body))
      const schema = body.event_type.startsWith('benefit') ? BenefitVerificationResource : PriorAuthorizationResource
      expect(schema.safeParse(scrubbed.data).error?.issues).toBeUndefined()
      expect(scrubbed.event_type).toBe(body.event_type)
    }
  })

  it('keeps statuses, results and codes', () => {
    const words = (all: unknown[]) =>
      all.map((body) => JSON.stringify(body).match(/"(status|result|detail_code|code|object)":"[A-Za-z_ ]+"/g))
    expect(words(bodies.map((body) => scrub(body)))).toEqual(words(bodies))
    expect(words(bodies).flat().length).toBeGreaterThan(50)
  })
})

describe('a scrubbed delivery', () => {
  const said = 'Mrs. Realname of 12 Real Street called about pa_req_7f3k9q.'
  const delivery = anEvent({
    ...aPriorAuthorization({
      id: 'pa_req_7f3k9q',
      prescription_transfer: aTransfer(),
      message_thread: {
        messages: [aMessage({ content: said })],
      },
      patient: {
        internal_id: 'cust-88123',
        first_name: 'Realfirst',
        last_name: 'Realname',
        date_of_birth: '1949-11-23',
        phone: '+1 (212) 736-5000',
        email: 'real.name@realmail.example',
        address: { street: '12 Real Street', city: 'Realtown', zip_postal_code: '10118-1234' },
      },
      provider: { first_name: 'Realdoc', last_name: 'Realsurname', npi: '1992739465' },
    }),
    unknownFields: {
      related_id: 'pa_req_7f3k9q',
      letter_url: 'https://files.real.example/letters/pa_req_7f3k9q?token=Realtoken99',
      caretaker: 'Realsister Realname',
      nickname: 'REALNICK',
      ssn: '078-05-1120',
      seen: ['1949-11-23', 'Realplace'],
      visits_by_key: { 'MRN-778812': 3 },
      weight: 83.4,
    },
  })
  const scrubbed = scrub(delivery, { secret })
  // The compiler knows of no such fields.
  const data = scrubbed.data as Record<string, unknown> & ReturnType<typeof aPriorAuthorization>

  it('holds nothing of a person, in any field', () => {
    const written = JSON.stringify(scrubbed)
    for (const real of [
      /real/i,
      /7f3k9q/,
      /88123/,
      /1949-11-23/,
      /736/,
      /5000/,
      /10118/,
      /1992739465/,
      /078-05/,
      /1120/,
      /778812/,
      /83\.4/,
    ])
      expect(written).not.toMatch(real)
  })

  it('has invented people in place of the real ones', () => {
    expect(data.patient?.first_name).toMatch(/^[A-Z][a-z]+$/)
    expect(data.patient?.phone).toMatch(/^\+\d \(\d55\) 501-\d{4}$|^\+\d \(\d{3}\) 555-01\d\d$/)
    expect(data.patient?.address?.zip_postal_code).toBe('00000-0000')
    expect(data.patient?.email).toMatch(/^[a-z]{4}\.[a-z]{4}@mail\.example$/)
  })

  it('has the same new id wherever there was the same old one', () => {
    expect(data.id).toMatch(/^pa_req_[a-z0-9]{6}$/)
    expect(data.id).not.toBe('pa_req_7f3k9q')
    expect(data.related_id).toBe(data.id)
    expect(data.letter_url).toContain(`/letters/${data.id}?`)
    expect(scrub(delivery, { secret })).toEqual(scrubbed)
    expect(scrub(delivery).data.id).not.toBe(data.id)
  })

  it('has all dates moved by the same days', () => {
    const movedBy = (from: string, to: string | undefined) => Date.parse(from) - Date.parse(to ?? '')
    const moved = movedBy('1949-11-23', data.patient?.date_of_birth)
    expect(moved).toBeGreaterThan(0)
    expect(movedBy('2026-03-01T10:00:00Z', data.prescription_transfer?.transfer_attempts?.[0]?.timestamp)).toBe(moved)
    expect(data.seen).toContain(data.patient?.date_of_birth)
  })

  it('has texts of about the same length', () => {
    const before = { content: said }
    const [after] = data.message_thread?.messages ?? []
    expect(after?.content?.length).toBeGreaterThan((before?.content?.length ?? 0) - 15)
    expect(after?.content?.length).toBeLessThanOrEqual((before?.content?.length ?? 0) + 1)
  })

  it('has a prescriber whose number passes its check', () => {
    expect(isNpi(data.provider?.npi ?? '')).toBe(true)
  })

  it('has lost no field and changed no type, but for names that were values', () => {
    const { visits_by_key: _, ...rest } = delivery.data
    const { visits_by_key, ...scrubbedRest } = data
    expect(shapeOf(scrubbedRest)).toEqual(shapeOf(rest))
    expect(Object.keys(visits_by_key as object)).toEqual([expect.stringMatching(/^[A-Z]{3}-\d{6}$/)])
    expect(textsOf(data).every((each) => each.length > 0)).toBe(true)
  })
})

describe('pawl scrub', () => {
  const run = (input: string) => runPawl(['scrub'], {}, input)

  it('turns a delivery on its input into a fixture', async () => {
    const { code, out } = await run(
      JSON.stringify(anEvent(aPriorAuthorization({ patient: { last_name: 'Realname' } }))),
    )
    expect(code).toBe(0)
    expect(out).not.toContain('Realname')
    expect(JSON.parse(out)).toMatchObject({
      event_type: 'prior_authorization.status_change',
      data: { status: 'processing' },
    })
  })

  it('does not quote what it cannot read', async () => {
    const { code, output } = await run('Realname, not JSON')
    expect(code).toBe(1)
    expect(output).not.toContain('Realname')
    expect(output).toContain('Standard input is not JSON')
  })
})
