import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pharmacyFrom } from '../src/pharmacy-from.ts'
import { PharmacyWriteFailed } from '../src/pharmacy-write-failed.ts'
import { createSignedHttpPharmacy, type SignedHttpPharmacyOptions } from '../src/signed-http/signed-http-pharmacy.ts'
import type { FeedNotice } from '../../base/src/system-notes.ts'
import { type FarSide, type FarSideAnswer, type FarSideRequest, startFarSide } from '../../testing/src/far-side.ts'
import { createTestRun } from '../../../test/support/run-context.ts'
import { TransferNotice } from '../src/transfer-notice.ts'
import { ranksOf } from '../../../test/support/ranks.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../../test/support/samples.ts'

const secret = `whsec_${Buffer.from('a secret for tests only').toString('base64')}`
const another = Buffer.from('another secret for tests only').toString('base64')
const verifier = new Webhook(secret)

let server: FarSide
let url: string
let reply: FarSideAnswer | 'silence'

beforeEach(async () => {
  reply = { status: 204 }
  server = await startFarSide(() => reply)
  url = `${server.url}/transfers`
})

afterEach(() => server.close())

const connect = (options: Partial<SignedHttpPharmacyOptions> = {}, run = createTestRun()) =>
  createSignedHttpPharmacy({ url, secrets: [secret], ...options }).open(run)

const transferred = (different: Record<string, unknown> = {}) =>
  samplePriorAuthorization({ status: 'completed', prescription_transfer: sampleTransfer(different) })

/** The ids of the notices so far. */
const ids = () => server.requests.map(({ headers }) => headers['webhook-id'])

/** The body of a notice whose signature is right. */
function verified({ headers, body }: FarSideRequest, by = verifier): unknown {
  return by.verify(body, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  })
}

describe('the signed HTTP pharmacy', () => {
  it('posts the notices that the feed has, with their ids and numbers', async () => {
    const published: FeedNotice[] = []
    const run = { ...createTestRun(), publish: async (notice: FeedNotice) => void published.push(notice) }
    const pharmacy = pharmacyFrom({
      NODE_ENV: 'production',
      PHARMACY_URL: url,
      PHARMACY_SECRET: [secret],
      PHARMACY_FEED_KEYS: {
        corner: { ncpdp_ids: ['7654321', '7654322'], key: ['a-key-of-at-least-thirty-two-characters'], push: true },
      },
      CASE_URL: 'https://clinic.example/{id}',
    })
    const [first, second] = ['7654321', '7654322'].map((pharmacy_ncpdp_id) => ({
      timestamp: '2026-03-01T10:00:00Z',
      pharmacy_ncpdp_id,
    }))
    for (const different of [
      { transfer_attempts: [first] },
      { transfer_attempts: [first], confirmed: true },
      { transfer_attempts: [first] },
      { transfer_attempts: [first, second] },
    ])
      await pharmacy.open(run).putPrescriptionTransfer(transferred(different))
    expect(server.requests.map(({ body }) => body)).toEqual(published.map(({ text }) => text))
    expect(ids()).toEqual(published.map(({ id }) => id))
    expect(new Set(ids()).size).toBe(5)
    const notices = server.requests.map((each) => verified(each))
    expect(notices).toMatchObject([
      { data: { confirmed: false } },
      { data: { confirmed: true } },
      { data: { confirmed: false } },
      { data: { pharmacy_ncpdp_id: '7654322' } },
      { data: { status: 'superseded' } },
    ])
    expect(
      ranksOf(
        TransferNotice.array()
          .parse(notices)
          .map(({ sequence }) => sequence),
      ),
    ).toEqual([1, 2, 3, 5, 4])
  })

  it('posts a notice that the receiver can verify', async () => {
    const run = createTestRun()
    await connect({}, run).putPrescriptionTransfer(transferred())
    expect(server.requests.map((each) => verified(each))).toEqual([
      {
        id: server.requests[0]?.headers['webhook-id'],
        case_url: null,
        type: 'prescription_transfer.updated',
        sequence: expect.any(Number),
        timestamp: '2026-03-01T10:00:00.000Z',
        data: {
          prior_authorization_id: 'pa_req_1',
          prescription_message_id: null,
          status: 'in_progress',
          confirmed: false,
          error_code: null,
          pharmacy_ncpdp_id: '7654321',
          transfer_attempts: [{ timestamp: '2026-03-01T10:00:00Z', pharmacy_ncpdp_id: '7654321' }],
          confirmation_attempts: [],
          prescription: {
            drug_name: 'Exampline',
            strength: '10 mg',
            dose_form: 'tablet',
            route_of_administration: null,
            ndc: null,
            quantity: 30,
            quantity_unit_of_measure: null,
            days_supply: 30,
            directions: 'One tablet daily',
            prescription_date: null,
          },
          provider: { first_name: 'Max', last_name: 'Muster', npi: '1234567893' },
          patient: { first_name: 'Testa', last_name: 'Sample', date_of_birth: '1970-01-31', phone: '555-0100' },
          outcome: {
            result: 'Pending',
            detail_code: null,
            authorization_start_date: null,
            authorization_expiration: null,
          },
        },
      },
    ])
    const id = server.requests[0]?.headers['webhook-id']
    expect(run.receipts).toEqual([{ type: 'prescription_transfer.updated', id, version: expect.any(String) }])
  })

  it('is told apart from a forger: another secret does not verify', async () => {
    await connect({ secrets: [another] }).putPrescriptionTransfer(transferred())
    expect(() => server.requests.map((each) => verified(each))).toThrow('No matching signature found')
  })

  it('is verified by a receiver with the old secret and by one with the new, while both are set', async () => {
    await connect({ secrets: [another, secret] }).putPrescriptionTransfer(transferred())
    const [notice] = server.requests.map((each) => verified(each))
    expect(server.requests.map((each) => verified(each, new Webhook(another)))).toEqual([notice])
    expect(server.requests[0]?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
  })

  it('keeps the body of a notice over retries, and dates each attempt', async () => {
    const run = createTestRun()
    reply = { status: 502 }
    await expect(
      connect({ clock: { now: () => 2_000_000 } }, run).putPrescriptionTransfer(transferred()),
    ).rejects.toThrow(PharmacyWriteFailed)
    reply = { status: 204 }
    await connect({ clock: { now: () => 9_000_000 } }, run).putPrescriptionTransfer(transferred())
    expect(server.requests.map(({ headers }) => headers['webhook-timestamp'])).toEqual(['2000', '9000'])
    expect(server.requests[1]?.body).toBe(server.requests[0]?.body)
  })

  it('tells A, B, A as three notices, also where B was answered by an error and may have arrived', async () => {
    for (const answered of [204, 502]) {
      const before = ids()
      const run = createTestRun()
      const tell = (confirmed: boolean) => connect({}, run).putPrescriptionTransfer(transferred({ confirmed }))
      await tell(false)
      reply = { status: answered }
      await tell(true).catch((error: unknown) => expect(error).toBeInstanceOf(PharmacyWriteFailed))
      reply = { status: 204 }
      await tell(false)
      expect(new Set(ids().slice(before.length)).size).toBe(3)
    }
  })

  it('gives two transfers two ids', async () => {
    await connect().putPrescriptionTransfer(transferred())
    await connect().putPrescriptionTransfer({ ...transferred(), id: 'pa_req_2' })
    expect(new Set(ids()).size).toBe(2)
  })
})

const failure = async (options: Partial<SignedHttpPharmacyOptions> = {}): Promise<unknown> =>
  connect(options)
    .putPrescriptionTransfer(transferred())
    .catch((error: unknown) => error)

describe('a failed notice', () => {
  for (const [status, retry] of [
    [400, 'never'],
    [401, 'backoff'],
    [307, 'never'],
    [409, 'backoff'],
    [429, 'backoff'],
    [502, 'backoff'],
  ] as const) {
    it(`with ${status} says ${retry}, names the PA and repeats no words of the pharmacy`, async () => {
      reply = { status, body: 'Testa Sample is not our patient' }
      const error = await failure()
      expect(error).toBeInstanceOf(PharmacyWriteFailed)
      expect(error).toMatchObject({ code: 'pharmacy_write_failed', system: 'pharmacy', resourceId: 'pa_req_1', retry })
      expect(String(error)).toContain(`pa_req_1: HTTP ${status}.`)
      expect(String(error)).not.toContain('Testa')
    })
  }

  it('waits as long as the pharmacy asks', async () => {
    reply = { status: 503, headers: { 'retry-after': '120' } }
    expect(await failure()).toMatchObject({ retry: { afterMs: 120_000 } })
  })

  it('without an answer in time says backoff', async () => {
    reply = 'silence'
    expect(await failure({ timeoutMs: 30 })).toMatchObject({ retry: 'backoff' })
  })
})

describe('the check of a pharmacy that is posted to', () => {
  const check = () => createSignedHttpPharmacy({ url, secrets: [secret] }).check?.(new AbortController().signal)

  it('posts one signed notice that is marked as a test and tells of nothing', async () => {
    expect(await check()).toEqual({ ok: true, findings: ['It took a signed test notice.'] })
    const [posted, ...others] = server.requests
    expect(others).toEqual([])
    expect(posted && verified(posted)).toEqual({
      id: posted?.headers['webhook-id'],
      type: 'prescription_transfer.test',
      timestamp: expect.any(String),
    })
    expect(posted?.headers['webhook-id']).toMatch(/^msg_test_/)
  })

  it.each([
    [401, /HTTP 401\. Compare PHARMACY_SECRET/],
    [404, /HTTP 404\. Compare the address/],
    [422, /HTTP 422\. The pharmacy should answer 2xx to the type prescription_transfer\.test/],
  ])('says for %i where to look', async (status, finding) => {
    reply = { status, body: 'Testa Sample is not our patient' }
    expect(await check()).toEqual({ ok: false, findings: [expect.stringMatching(finding)] })
  })

  const minutes = (count: number) => new Date(Date.now() + count * 60_000).toUTCString()

  it.each([
    [10, /^HTTP 401; the clock of this machine is \d+ s behind that of the pharmacy/],
    [-10, /^HTTP 401; the clock of this machine is \d+ s ahead of that of the pharmacy/],
    [4, /^HTTP 401$/],
  ])('names the clocks where a signature is refused and the answer is dated %i minutes off', async (off, reason) => {
    reply = { status: 401, headers: { date: minutes(off) } }
    const told = connect().putPrescriptionTransfer(transferred())
    await expect(told).rejects.toMatchObject({ httpStatus: 401, reason: expect.stringMatching(reason) })
    const { findings } = (await check()) ?? { findings: [] }
    expect(findings[0]?.includes('PHARMACY_SECRET')).toBe(Math.abs(off) < 5)
  })
})
