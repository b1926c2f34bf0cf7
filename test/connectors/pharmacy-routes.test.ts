import { describe, expect, it } from 'vitest'
import { createMemoryPharmacy } from '../../src/connectors/pharmacy/memory/memory-pharmacy.ts'
import { pharmacyFrom } from '../../src/connectors/pharmacy/pharmacy-from.ts'
import { PharmacySettingsInvalid } from '../../src/connectors/pharmacy/pharmacy-settings-invalid.ts'
import { PharmacyRouteMissing } from '../../src/connectors/pharmacy/pharmacy-route-missing.ts'
import { routedPharmacy } from '../../src/connectors/pharmacy/routed-pharmacy.ts'
import { createTestRun } from '../support/run-context.ts'
import { samplePriorAuthorization, sampleTransfer } from '../support/samples.ts'

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
  it('are told each of its own transfers, in one count of each transfer', async () => {
    const { first, second, other, routes } = createPharmacies()
    const port = routedPharmacy({ routes, fallback: other }).open(createTestRun())
    for (const ids of [['1111111'], ['1111111', '2222222'], ['1111111', '2222222', '3333333']])
      await port.putPrescriptionTransfer(transferTo(...ids))
    expect([first, second, other].map(({ notices }) => notices.map(({ sequence }) => sequence))).toEqual([
      [1],
      [2],
      [3],
    ])
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

  it('have nobody to tell while a transfer names no pharmacy, unless there is one for all others', async () => {
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
    })
    await routed.close?.()
    expect(closed).toEqual(['A', 'B'])
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
