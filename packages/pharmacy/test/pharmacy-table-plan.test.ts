import { describe, expect, it } from 'vitest'
import { pharmacyFrom } from '../src/pharmacy-from.ts'
import { PharmacySettingsInvalid } from '../src/pharmacy-settings-invalid.ts'
import { readTablePlan, toRow } from '../src/sql/table-plan.ts'
import type { TransferNotice } from '../src/transfer-notice.ts'
import { mysql } from '../../connector/src/sql/mysql.ts'

const faultsOf = (columns: Record<string, string>): string[] => {
  try {
    readTablePlan({ PHARMACY_TABLE_MODE: 'upsert', PHARMACY_COLUMNS: columns })
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(PharmacySettingsInvalid)
    return error instanceof Error ? error.message.split('\n').slice(1) : []
  }
}

const needed = { id: 'data.prior_authorization_id', seq: 'sequence' }

describe('the columns of an upsert', () => {
  it('may get every field of a notice, lists and groups included', () => {
    const columns = { ...needed, ndc: 'data.prescription.ndc', drug: 'data.prescription', all: 'data', at: 'timestamp' }
    expect(faultsOf(columns)).toEqual([])
  })

  it('are refused all at once where no notice has what they get, or the rows could not be told apart or ordered', () => {
    const columns = { a: 'data.prescription.price', b: '', c: 'toString', d: 'data.transfer_attempts.0' }
    expect(faultsOf(columns)).toEqual([
      '  PHARMACY_COLUMNS: a takes data.prescription.price, which is no field of a notice (docs/pharmacy.md)',
      '  PHARMACY_COLUMNS: b takes , which is no field of a notice (docs/pharmacy.md)',
      '  PHARMACY_COLUMNS: c takes toString, which is no field of a notice (docs/pharmacy.md)',
      '  PHARMACY_COLUMNS: d takes data.transfer_attempts.0, which is no field of a notice (docs/pharmacy.md)',
      '  PHARMACY_COLUMNS: no column takes data.prior_authorization_id, the key of the rows',
      '  PHARMACY_COLUMNS: no column takes sequence, which keeps an older state from overwriting a newer one',
    ])
  })

  it('are not for an outbox', () => {
    expect(() => readTablePlan({ PHARMACY_COLUMNS: needed })).toThrow(/is for PHARMACY_TABLE_MODE=upsert/)
  })

  it('are looked at before pawl starts', () => {
    const settings = { NODE_ENV: 'production', PHARMACY_TABLE_MODE: 'upsert', PHARMACY_COLUMNS: {} } as const
    for (const PHARMACY_URL of ['postgres://db.example/rx', 'mysql://db.example/rx'])
      expect(() => pharmacyFrom({ ...settings, PHARMACY_URL })).toThrow(PharmacySettingsInvalid)
  })
})

describe('a row', () => {
  it.each([
    ['2026-02-28T09:00:00+01:00', '2026-02-28 08:00:00.000'],
    ['2026-02-30T09:00:00Z', '2026-02-30T09:00:00Z'],
    ['2026-02-30', '2026-02-30'],
  ])('has the time %s as %s: a day that the calendar lacks stays as it is', (timestamp, written) => {
    // Of a notice, the row needs only what its columns take.
    const notice = { timestamp } as TransferNotice
    expect(toRow({ table: 'rx', columns: { at: 'timestamp' }, key: [] }, notice, mysql)).toEqual({ at: written })
  })
})
