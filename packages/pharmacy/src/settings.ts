import { z } from 'zod'
import {
  address,
  type GivenSettings,
  json,
  list,
  oneOf,
  signingSecrets,
  type ValuesOf,
  whole,
} from '@pawl/base/setting-types'
import { connectorSettings } from '@pawl/connector/connector-settings'
import { protocolsOf } from '@pawl/connector/sql/protocols'

const pharmacyAddress = address(['http:', 'https:', 'sftp:', ...protocolsOf.postgres, ...protocolsOf.mysql])

/** Format of files sent to a pharmacy by SFTP. */
const fileFormats = ['ndjson', 'csv'] as const
export type TransferFileFormat = (typeof fileFormats)[number]

/** The default of PHARMACY_TABLE. */
export const defaultTable = 'prescription_transfer_notices'

/** An NCPDP id or a key belongs to one pharmacy. */
function hasNoneTwice(readers: Readonly<Record<string, { ncpdp_ids: readonly string[]; key: readonly string[] }>>) {
  const all = Object.values(readers).flatMap(({ ncpdp_ids: ids, key }) => [...ids, ...key])
  return new Set(all).size === all.length
}

const shape = {
  PHARMACY_URL: pharmacyAddress
    .optional()
    .describe(
      'Destination of transfer notices (docs/pharmacy.md): https://… gets posts, signed as Standard Webhooks; postgres://, mysql:// or mariadb://user:password@host/database gets rows; sftp://user@host:port/folder gets files.',
    )
    .meta({ isOutward: true }),
  PHARMACY_SECRET: signingSecrets
    .optional()
    .describe(
      'Required with an https address: the secrets that sign posts, newest first, separated by commas; whsec_ and Base64 of at least 24 bytes each.',
    )
    .meta({ secret: 'list' }),
  PHARMACY_ROUTES: json(
    z.record(z.string().regex(/^\d{7}$/), z.strictObject({ url: pharmacyAddress, secret: signingSecrets.optional() })),
    'must be JSON: for each NCPDP id of seven digits the url of the pharmacy and, if it has one of its own, its secret',
  )
    .optional()
    .describe(
      'Several pharmacies by NCPDP id, as JSON: {"1234567":{"url":"https://pharmacy.example/transfers","secret":"whsec_…"}}; PHARMACY_URL is for all others.',
    )
    .meta({ secret: 'entries' }),
  PHARMACY_FEED_KEYS: json(
    z
      .record(
        z.string().regex(/^[\w.-]{1,64}$/),
        z.strictObject({
          ncpdp_ids: z.array(z.string().regex(/^\d{7}$/)).nonempty(),
          key: list((key) => /^[\x21-\x7e]{32,}$/.test(key), ''),
          push: z.boolean().default(true),
        }),
      )
      .refine(hasNoneTwice),
    'must be JSON: for each pharmacy a name of letters, digits, _, . and -, the ncpdp_ids that are its own alone, and a key of its own of at least 32 characters; push: false where it only reads',
  )
    .optional()
    .describe(
      'Pharmacies that read the feed GET /pharmacy/transfers, as JSON: {"corner":{"ncpdp_ids":["1234567"],"key":"…"}}; the key has at least 32 characters, several, newest first, are separated by commas. With "push": false such a pharmacy is sent nothing to PHARMACY_URL. Absent: there is no feed.',
    )
    .meta({ secret: 'entries' }),
  CASE_URL: z
    .string()
    .refine((text) => /^https?:/i.test(text) && URL.canParse(text), 'must be an http or https address')
    .refine((text) => text.includes('{id}'), 'must contain {id}, which stands for the id of the PA')
    .optional()
    .describe(
      'Link to a case for people, with {id} for the id of the PA; a notice to a pharmacy carries it as case_url, and the mail to STAFF_TEAMS links to it.',
    ),
  PHARMACY_TABLE: z
    .string()
    .regex(/^[\w$#-]+(\.[\w$#-]+)?$/, 'must be a table, or a schema, a dot and a table')
    .default(defaultTable)
    .describe("The table in a pharmacy's database, optionally with its schema and a dot before it."),
  PHARMACY_TABLE_MODE: oneOf(['outbox', 'upsert'])
    .default('outbox')
    .describe('How that table is written: outbox adds a row for each notice, upsert keeps one row for each transfer.'),
  PHARMACY_COLUMNS: json(
    z.record(z.string().min(1), z.string()),
    'must be JSON: the source of each column of the table, such as "data.status"',
  )
    .optional()
    .describe(
      'Required with upsert, as JSON: the source of each column, such as {"pa_id":"data.prior_authorization_id","seq":"sequence","state":"data.status"}',
    ),
  PHARMACY_HOST_KEY: list(
    (key) => /^SHA256:[A-Za-z0-9+/]{43}=?$/.test(key),
    'must be fingerprints as ssh-keygen -l shows them (SHA256:…), separated by commas',
  )
    .optional()
    .describe(
      "Required for sftp://: fingerprints of the server's host keys (ssh-keyscan host | ssh-keygen -lf -), separated by commas. Ask the pharmacy for them: pawl sends nothing to any other server.",
    ),
  PHARMACY_SSH_KEY_FILE: z
    .string()
    .optional()
    .describe('For sftp://: file of the private key registered at the pharmacy, without a passphrase.'),
  PHARMACY_PASSWORD: z
    .string()
    .optional()
    .describe('For sftp://: password, if the pharmacy accepts no key.')
    .meta({ secret: 'own' }),
  PHARMACY_FILE_FORMAT: oneOf(fileFormats)
    .default('ndjson')
    .describe('For sftp://: format of the files, ndjson (one notice per line) or csv.'),
  PHARMACY_BATCH_MS: whole(0, 60_000)
    .default(0)
    .describe('For sftp://: how long notices are gathered into one file, in milliseconds; 0: one file per notice.'),
}

/** Settings of pharmacies. */
export const pharmacySettings = connectorSettings(shape, {
  system: 'pharmacy',
  credentials: ['PHARMACY_SECRET', 'PHARMACY_PASSWORD'],
  check: checkPharmacy,
})

/** Values to open a pharmacy with; settings with a default are optional. */
export type PharmacySettings = Partial<ValuesOf<typeof shape>>

function checkPharmacy({ given, needed }: GivenSettings<keyof typeof shape>): void {
  if (/^https?:/i.test(given.PHARMACY_URL ?? '')) needed('PHARMACY_SECRET', 'it signs posts to PHARMACY_URL')
  if (given.PHARMACY_TABLE_MODE === 'upsert') needed('PHARMACY_COLUMNS', 'an upsert writes the columns that it names')
  if (given.PHARMACY_URL?.startsWith('sftp:') === true) {
    needed('PHARMACY_HOST_KEY', 'pawl sends only to a server with a known key')
    if (given.PHARMACY_SSH_KEY_FILE === undefined)
      needed('PHARMACY_PASSWORD', 'the server asks for it, or for a key: PHARMACY_SSH_KEY_FILE')
  }
}
