import { z } from 'zod'
import { isAddressRange } from '@pawl/base/net/address-ranges'
import { count, list, port } from '@pawl/base/setting-types'

/** Secrets of any length and characters; a backslash escapes a comma or a backslash. */
function readSecrets(text: string): string[] {
  const secrets = ['']
  for (const [character] of text.matchAll(/\\[,\\]|[^]/g)) {
    if (character === ',') secrets.push('')
    else secrets.push((secrets.pop() ?? '') + character.slice(-1))
  }
  return secrets.map((secret) => secret.trim())
}

const ranges = list(
  isAddressRange,
  'must be addresses or networks such as 192.0.2.7 or 192.0.2.0/24, separated by commas',
)

/** Settings of the public listener. */
export const receiveSettings = {
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address to listen on for webhooks; 0.0.0.0 accepts them from other machines.'),
  PORT: port(3000).describe(
    'Port of POST /webhooks, GET /healthz, GET /.well-known/jwks.json and, with PHARMACY_FEED_KEYS, /pharmacy/transfers.',
  ),
  WEBHOOK_SECRETS: z
    .string()
    .transform(readSecrets)
    .refine((secrets) => secrets.every((secret) => secret !== ''), 'must be secrets, separated by commas')
    .optional()
    .describe(
      'Required to receive: secrets that sign webhooks, newest first, separated by commas; a comma or a backslash of a secret is written \\, or \\\\. Use at least 32 characters each.',
    )
    .meta({ secret: 'list' }),
  MAX_IN_FLIGHT: count(2_000, 100_000).describe(
    'Maximum concurrent deliveries; more are answered with 503, and the service retries them.',
  ),
  MAX_IN_FLIGHT_BYTES: count(268_435_456, 68_719_476_736).describe(
    'Maximum memory of their bodies, in bytes: six for each byte, and 100 for each field; more are answered with 503, too. A single body always has room.',
  ),
  MAX_BODY_BYTES: count(4_194_304, 67_108_864).describe('Maximum webhook body, in bytes.'),
  MAX_CONNECTIONS_PER_ADDRESS: count(500, 100_000).describe(
    'Maximum open connections of one address; more are cut. Proxies among TRUSTED_PROXIES and this machine are exempt.',
  ),
  ALLOWED_ADDRESSES: ranges
    .optional()
    .describe(
      'Addresses and networks that may send webhooks, such as 192.0.2.7,198.51.100.0/24; all others get 403. Absent: any.',
    ),
  TRUSTED_PROXIES: ranges
    .optional()
    .describe(
      'Addresses and networks of trusted reverse proxies, whose X-Forwarded-For is believed; they must append to it or set it. Absent: none.',
    ),
}
