import { z } from 'zod'
import { address, type GivenSettings, list, number, oneOf, type ValuesOf } from '@pawl/base/setting-types'

const postgresAddress = address(['postgres:', 'postgresql:'])

/** Address, sealing and retention of the ledger. */
export const ledgerSettings = {
  RETENTION_DAYS: number(1, 3_650)
    .default(30)
    .describe('Retention of bodies, events and snapshots, in days; parked work is kept longer.'),
  PARKED_RETENTION_DAYS: number(1, 3_650)
    .default(365)
    .describe('Retention of the bodies of parked work, in days since it was parked.'),
  REPORT_RETENTION_DAYS: number(1, 3_650)
    .default(400)
    .describe('Retention of the figures of a PA or BV in the report, in days since its first event.'),
  DATABASE_URL: z
    .string()
    .regex(/^(file:.+|postgres(ql)?:\/\/.+)/, {
      error: 'must be file:<path> or postgres://…',
      abort: true,
    })
    .superRefine((text, context) => {
      if (text.startsWith('file:')) return
      for (const { message } of postgresAddress.safeParse(text).error?.issues ?? [])
        context.addIssue({ code: 'custom', message })
    })
    .default('file:./data/pawl.db')
    .describe('The ledger: file: and the path of an SQLite file, or postgres://user:password@host:port/database.'),
  SEALING_KEYS: list(
    (text) => Buffer.from(text, 'base64').length === 32,
    'must be Base64 of 32 bytes each, separated by commas',
  )
    .optional()
    .describe(
      'Keys that seal stored bodies and snapshots, newest first, separated by commas; Base64 of 32 bytes each (openssl rand -base64 32). They also sign the audit trail. Absent: stored in plain text, which production refuses.',
    )
    .meta({ secret: 'list' }),
  SEALING: oneOf(['on', 'off', 'turning_on'])
    .default('on')
    .describe(
      'off lets production start without SEALING_KEYS: anyone who can read the ledger can then read its patient data. turning_on, with SEALING_KEYS: values stored before there was a key are read, too, until pawl keys rotate reports that all are sealed.',
    ),
}

export function checkLedgerSettings({
  given,
  needed,
  fault,
}: GivenSettings<keyof typeof ledgerSettings | 'NODE_ENV'>): void {
  if (given.SEALING === 'off') {
    if (given.SEALING_KEYS !== undefined) fault('SEALING: is off, though SEALING_KEYS is set; remove one of the two')
  } else if (given.SEALING === 'turning_on') needed('SEALING_KEYS', 'SEALING=turning_on seals values with it')
  else if (given.NODE_ENV === 'production')
    needed('SEALING_KEYS', 'make one (openssl rand -base64 32), or set SEALING=off to store patient data unsealed')
}

/** Keys that seal and sign the ledger. */
export interface Sealing {
  sealingKeys: readonly Uint8Array[]
  /** Whether plain values, from before the first key, are read until `keys rotate` has sealed them. */
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
