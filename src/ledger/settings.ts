import { z } from 'zod'
import { type GivenSettings, list, number, oneOf, type ValuesOf } from '../base/setting-types.ts'

/** Settings of the ledger: location, sealing, retention. */
export const ledgerSettings = {
  RETENTION_DAYS: number(1, 3_650)
    .default(30)
    .describe('Retention of bodies, events and snapshots, in days; parked work is kept longer.'),
  PARKED_RETENTION_DAYS: number(1, 3_650)
    .default(365)
    .describe('Retention of the bodies of parked work, in days from when it was parked.'),
  REPORT_RETENTION_DAYS: number(1, 3_650)
    .default(400)
    .describe('Retention of outcomes for the report, in days from when the PA or BV was first heard of.'),
  DATABASE_URL: z
    .string()
    .regex(/^(file:.+|postgres(ql)?:\/\/.+)/, 'must be file:<path> or postgres://…')
    .default('file:./data/pawl.db')
    .describe('The ledger: file: and the path of an SQLite file, or postgres://user:password@host:port/database.'),
  SEALING_KEYS: list(
    (text) => Buffer.from(text, 'base64').length === 32,
    'must be Base64 of 32 bytes each, separated by commas',
  )
    .optional()
    .describe(
      'Keys that seal stored bodies and snapshots, newest first, separated by commas; Base64 of 32 bytes each (openssl rand -base64 32). They also sign the audit trail. Absent: stored readable, which production refuses.',
    ),
  SEALING: oneOf(['on', 'off', 'turning_on'])
    .default('on')
    .describe(
      'off lets production start without SEALING_KEYS: then anyone who can read the ledger can read its patient data. turning_on, with SEALING_KEYS, also reads values stored before there was a key, until pawl keys rotate reports that all are sealed.',
    ),
}

export function checkLedgerSettings({
  given,
  needed,
  fault,
}: GivenSettings<keyof typeof ledgerSettings | 'NODE_ENV'>): void {
  if (given.SEALING === 'off') {
    if (given.SEALING_KEYS !== undefined) fault('SEALING: is off, though SEALING_KEYS is set; remove one of the two')
  } else if (given.SEALING === 'turning_on') needed('SEALING_KEYS', 'SEALING=turning_on has values sealed with it')
  else if (given.NODE_ENV === 'production')
    needed('SEALING_KEYS', 'make one (openssl rand -base64 32), or say SEALING=off to keep patient data unsealed')
}

/** The keys that the ledger is sealed and signed with. */
export interface Sealing {
  sealingKeys: readonly Uint8Array[]
  /** Also reads values stored before there was a key, until `keys rotate` has sealed them. */
  acceptsPlain: boolean
}

export function sealingFrom({
  SEALING_KEYS: keys = [],
  SEALING,
}: Pick<ValuesOf<typeof ledgerSettings>, 'SEALING_KEYS' | 'SEALING'>): Sealing {
  return { sealingKeys: keys.map((key) => Buffer.from(key, 'base64')), acceptsPlain: SEALING === 'turning_on' }
}

const dayMs = 86_400_000

export function keepFrom(settings: ValuesOf<typeof ledgerSettings>) {
  return {
    keepMs: settings.RETENTION_DAYS * dayMs,
    parkedKeepMs: settings.PARKED_RETENTION_DAYS * dayMs,
    reportKeepMs: settings.REPORT_RETENTION_DAYS * dayMs,
  }
}
