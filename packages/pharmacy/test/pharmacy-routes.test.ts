import { describe, expect, it } from 'vitest'
import { createMemoryPharmacy } from '../src/memory/memory-pharmacy.ts'
import { pharmacyFrom } from '../src/pharmacy-from.ts'
import { PharmacySettingsInvalid } from '../src/pharmacy-settings-invalid.ts'
import { PharmacyRouteMissing } from '../src/pharmacy-route-missing.ts'
import { routedPharmacy } from '../src/routed-pharmacy.ts'
import { createTestRun } from '../../../test/support/run-context.ts'
import { ranksOf } from '../../../test/support/ranks.ts'
import { samplePriorAuthorization, sampleTransfer } from '../../../test/support/samples.ts'

const attemptAt = (pharmacy_ncpdp_id: string) => ({ timestamp: '2026-03-01T10:00:00Z', pharmacy_ncpdp_id })

const transferTo = (...ids: string[]) =>
  samplePriorAuthorization({ prescription_transfer: sampleTransfer({ transfer_attempts: ids.map(attemptAt) }) })

const unnamed = samplePriorAuthorization({
  ndp_submission: { preferred_pharmacy_details: 'the one at the corner' },
  prescription_transfer: sampleTransfer({ transfer_attempts: [] }),
})

/** Two pharmacies by NCPDP id, and one for all others. */
function createPharmacies() {
  const [first, second, other] = [createMemoryPharmacy(), createMemoryPharmacy(), createMemoryPharmacy()]
  const routes = new Map([
    ['1111111', first],
    ['2222222', second],
  ])
  return { first, second, other, routes }
}

describe('several pharmacies', () => {
  it('are told each of its own transfers and of each that they lost, in one count of each transfer', async () => {
    const { first, second, other, routes } = createPharmacies()
    const port = routedPharmacy({ routes, fallback: other }).open(createTestRun())
    for (const ids of [['1111111'], ['1111111', '2222222'], ['1111111', '2222222', '3333333']])
      await port.putPrescriptionTransfer(transferTo(...ids))
    const numbers = [first, second, other].map(({ notices }) => notices.map(({ sequence }) => sequence))
    expect(numbers.map((each) => each.length)).toEqual([2, 2, 1])
    expect(ranksOf(numbers.flat())).toEqual([1, 2, 3, 4, 5])
    expect([first, second, other].map(({ notices }) => notices.at(-1)?.data.status)).toEqual([
      'superseded',
      'superseded',
      'in_progress',
    ])
  })

  it('are told that they lost a transfer once they are back, and hold up none of the others', async () => {
    const { first, second, routes } = createPharmacies()
    let isUp = true
    const away = {
      ...first,
      send: async (...told: Parameters<typeof first.send>) => {
        if (!isUp) throw new Error('away')
        await first.send(...told)
      },
    }
    const port = routedPharmacy({ routes: new Map([...routes, ['1111111', away]]) }).open(createTestRun())
    await port.putPrescriptionTransfer(transferTo('1111111'))
    isUp = false
    const moved = transferTo('1111111', '2222222')
    await expect(port.putPrescriptionTransfer(moved)).rejects.toThrow('away')
    await expect(port.putPrescriptionTransfer(moved)).rejects.toThrow('away')
    expect(second.notices).toHaveLength(1)
    isUp = true
    await port.putPrescriptionTransfer(moved)
    await port.putPrescriptionTransfer(moved)
    expect(first.notices.map(({ data }) => data.status)).toEqual(['in_progress', 'superseded'])
    expect(first.notices[1]?.data).toMatchObject({ patient: { last_name: null }, prescription: { drug_name: null } })
    expect(ranksOf([...first.notices, ...second.notices].map(({ sequence }) => sequence))).toEqual([1, 2, 3])
  })

  it('park the transfer to one that is not set, and name it and the setting', async () => {
    const { routes } = createPharmacies()
    const run = createTestRun()
    const told = routedPharmacy({ routes }).open(run).putPrescriptionTransfer(transferTo('3333333'))
    await expect(told).rejects.toThrow(PharmacyRouteMissing)
    await expect(told).rejects.toMatchObject({ code: 'pharmacy_route_missing', retry: 'never', isOutage: false })
    await expect(told).rejects.toThrow(
      /NCPDP id 3333333, .* pa_req_1 goes: add it to PHARMACY_ROUTES, or set PHARMACY_URL/,
    )
    expect(await run.memory.read('transfer_sent')).toBeUndefined()
  })

  it('tell no pharmacy while a transfer names none, unless there is one for all others', async () => {
    const { first, second, other, routes } = createPharmacies()
    await routedPharmacy({ routes }).open(createTestRun()).putPrescriptionTransfer(unnamed)
    await routedPharmacy({ routes, fallback: other }).open(createTestRun()).putPrescriptionTransfer(unnamed)
    expect([first, second, other].map(({ notices }) => notices.length)).toEqual([0, 0, 1])
  })

  it('are checked and closed together', async () => {
    const closed: string[] = []
    const system = (name: string, ok: boolean) => ({
      ...createMemoryPharmacy(),
      check: async () => ({ ok, findings: [`${name} answered.`] }),
      close: async () => void closed.push(name),
    })
    const shared = system('A', true)
    const routed = routedPharmacy({
      routes: new Map([
        ['1111111', shared],
        ['2222222', shared],
      ]),
      fallback: system('B', false),
    })
    expect(await routed.check?.(new AbortController().signal)).toEqual({
      ok: false,
      findings: ['NCPDP id 1111111: A answered.', 'NCPDP id 2222222: A answered.', 'PHARMACY_URL: B answered.'],
      faults: ['PHARMACY_URL: B answered.'],
    })
    await routed.close?.()
    expect(closed).toEqual(['A', 'B'])
  })
})

describe('pharmacies that read the feed', () => {
  const reader = { ncpdp_ids: ['1111111'], key: ['a-key-of-at-least-thirty-two-characters'], push: true }
  const NODE_ENV = 'production'
  const CASE_URL = 'https://clinic.example/{id}'

  /** The notices that a run adds to the feed. */
  async function published(settings: Parameters<typeof pharmacyFrom>[0], id = '1111111') {
    const notices: unknown[] = []
    const publish = async ({ reader, text }: { reader: string; text: string }) =>
      void notices.push([reader, JSON.parse(text)])
    const told = pharmacyFrom(settings)
      .open({ ...createTestRun(), publish })
      .putPrescriptionTransfer(transferTo(id))
    const error = await told.then(
      () => undefined,
      (error: unknown) => error,
    )
    return { notices, error }
  }

  it('need no address: the feed alone has their notices', async () => {
    const { notices, error } = await published({ NODE_ENV, CASE_URL, PHARMACY_FEED_KEYS: { corner: reader } })
    expect(error).toBeUndefined()
    expect(notices).toMatchObject([['1111111', { case_url: 'https://clinic.example/pa_req_1' }]])
  })

  it('leave others to their routes', async () => {
    const { notices, error } = await published({ NODE_ENV, PHARMACY_FEED_KEYS: { corner: reader } }, '3333333')
    expect(error).toBeInstanceOf(PharmacyRouteMissing)
    expect(notices).toEqual([])
  })

  it('have them there even if a push fails, which push: false leaves out', async () => {
    const push = {
      NODE_ENV,
      PHARMACY_URL: 'http://127.0.0.1:9/',
      PHARMACY_SECRET: [Buffer.alloc(24).toString('base64')],
    }
    const both = await published({ ...push, PHARMACY_FEED_KEYS: { corner: reader } })
    expect(both.error).toMatchObject({ code: 'pharmacy_write_failed' })
    expect(both.notices).toHaveLength(1)
    const alone = await published({ ...push, PHARMACY_FEED_KEYS: { corner: { ...reader, push: false } } })
    expect(alone.error).toBeUndefined()
    expect(alone.notices).toHaveLength(1)
  })
})

describe('the settings of the pharmacy', () => {
  const NODE_ENV = 'production'
  const PHARMACY_SECRET = [Buffer.alloc(24).toString('base64')]
  const PHARMACY_ROUTES = { '1111111': { url: 'https://pharmacy.example/transfers' } }

  it('need a secret for every address that is posted to', () => {
    expect(() => pharmacyFrom({ NODE_ENV, PHARMACY_ROUTES })).toThrow(PharmacySettingsInvalid)
    expect(() => pharmacyFrom({ NODE_ENV, PHARMACY_ROUTES })).toThrow(/PHARMACY_ROUTES, 1111111: needs a secret/)
    expect(() => pharmacyFrom({ NODE_ENV, PHARMACY_ROUTES, PHARMACY_SECRET })).not.toThrow()
  })

  it('may name no pharmacy: production parks, and says so', async () => {
    const nowhere = pharmacyFrom({ NODE_ENV })
    expect(nowhere.notice).toContain('PHARMACY_URL is not set')
    await expect(nowhere.open(createTestRun()).putPrescriptionTransfer(unnamed)).rejects.toMatchObject({
      code: 'connector_not_configured',
    })
  })
})
