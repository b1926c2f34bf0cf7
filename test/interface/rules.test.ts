import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BV, create, CQ, PA, send } from './calls.ts'
import { startInterfaceWorld, type InterfaceWorld } from './interface-world.ts'

let world: InterfaceWorld
beforeEach(async () => {
  world = await startInterfaceWorld()
})

describe('a request is refused for', () => {
  const file_url = 'https://files.example.com/card.png'
  const evidence = { title: 'Note', date_created: '2026-02-20T10:00:00', content: 'text' }
  it.each<[name: string, path: string, fields: object, at: string]>([
    ...['internal_id', 'first_name', 'last_name'].flatMap((field): [string, string, object, string][] => [
      [`an empty or absent ${field}: empty`, PA, { patient: { [field]: '' } }, `patient.${field}`],
      [`an empty or absent ${field}: absent`, BV, { patient: { [field]: undefined } }, `patient.${field}`],
    ]),
    ...['first_name', 'last_name', 'npi'].map((field): [string, string, object, string] => [
      `an empty or absent ${field} of the provider`,
      CQ,
      { provider: { [field]: undefined } },
      `provider.${field}`,
    ]),
    ['an empty or absent address', PA, { patient: { address: undefined } }, 'patient.address'],
    ['an empty or absent patient', PA, { patient: undefined }, 'patient'],
    ['an entity in a prior authorization', PA, { entity: { legal_name: 'Sample LLC' } }, 'entity'],
    ['a card by its address', BV, { insurance: [{ file_url }] }, 'insurance.0.file_url'],
    ['a card by its address too', PA, { insurance: [{ file_content: 'AAAA', file_url }] }, 'insurance.0.file_url'],
    ['structured insurance in a clinical qualification', CQ, { insurance_content: {} }, 'insurance_content'],
    ['evidence of a clinical qualification that is text', CQ, { evidence: [evidence] }, 'evidence.0.content'],
    ['no drug at all', CQ, { drugs: [] }, 'drugs'],
    ['no card at all', BV, { insurance: [] }, 'insurance'],
    ['a fraction of a drug', CQ, { drugs: [{ drug_name: 'x', quantity: 0.5 }] }, 'drugs.0.quantity'],
    ['a fraction of a day', CQ, { drugs: [{ drug_name: 'x', days_supply: 0.5 }] }, 'drugs.0.days_supply'],
    ['a fraction of a prescription', PA, { prescription: { quantity: 2.5 } }, 'prescription.quantity'],
    ['a fraction of a supply', PA, { prescription: { days_supply: 2.5 } }, 'prescription.days_supply'],
    [
      'a unit in a prescription by name',
      PA,
      { prescription: { quantity_unit_of_measure: 'C38046' } },
      'prescription.quantity_unit_of_measure',
    ],
    [
      'a mock result of a kind that is read but never sent',
      PA,
      { mock_result: { result: 'Approval' } },
      'mock_result.result',
    ],
  ])('%s', async (_name, path, fields, at) => {
    const { status, body } = await send(world, path, fields)
    expect(status).toBe(422)
    const { detail } = z.object({ detail: z.array(z.object({ loc: z.array(z.string()) })) }).parse(body)
    expect(detail.map(({ loc }) => loc.join('.'))).toContain(`body.${at}`)
  })
})

describe('a request is taken with', () => {
  const note = { title: 'Note', date_created: '2026-02-20T10:00:00' }
  const at = (state_province: string) => ({
    patient: { address: { street: 'x', city: 'y', state_province, zip_postal_code: '00000' } },
  })
  const unknown = { member_number: undefined }
  it.each<[name: string, path: string, fields: object, status: number]>([
    ['a state by its postal abbreviation', BV, at('PR'), 200],
    ['but not a state by its postal abbreviation in small letters', BV, at('ma'), 422],
    ['but not a state by its postal abbreviation written out', BV, at('Massachusetts'), 422],
    ["a provider's address as it comes", PA, { provider: { address: { state_province: 'nowhere' } } }, 200],
    ['any content of the insurance', BV, { insurance_content: { ...unknown, payer_name: 'Sample' } }, 200],
    ['but not nothing of the insurance', BV, { insurance_content: unknown }, 422],
    ['but not nothing of the insurance', PA, { insurance_content: unknown }, 422],
    ['payers of any kind', CQ, { provider: { in_network_payers: ['x', 5, { name: 'Sample' }] } }, 200],
    ['the gender not_specified', BV, { patient: { gender: 'not_specified' } }, 200],
    ['a list of any length', PA, { diagnoses: Array.from({ length: 10_000 }, () => ({ code: 'E66.9' })) }, 200],
    ['a body of megabytes', PA, { evidence: [{ ...note, content: 'x'.repeat(3_000_000) }] }, 200],
    ['any content of the insurance', BV, { insurance_content: { payer_name: 'Sample Health Plan' } }, 200],
  ])('%s', async (_name, path, fields, status) => {
    expect((await send(world, path, fields)).status).toBe(status)
  })

  it('the same request twice makes two', async () => {
    expect(await create(world, PA, {})).not.toBe(await create(world, PA, {}))
    expect(await create(world, BV, {})).not.toBe(await create(world, BV, {}))
  })
})

describe('the description that the sandbox serves', () => {
  it('the description says version 1.0 and marks the status checks as unreleased', async () => {
    const { body } = await world.send('GET /openapi.json')
    const { info, paths } = z
      .object({ info: z.object({ version: z.string() }), paths: z.record(z.string(), z.unknown()) })
      .parse(body)
    expect(info.version).toMatch(/^1\.0/)
    const of = (path: string) => JSON.stringify(paths[path]).toLowerCase()
    for (const path of ['/pa-status', '/pa-status/{id}']) expect(of(path)).toContain('unreleased')
    expect(of('/prior-authorization')).not.toContain('unreleased')
    expect(Object.keys(paths).filter((path) => /v\d/.test(path))).toEqual([])
  })
})
