import { z } from 'zod'
import { isAddressRange } from '../base/net/address-ranges.ts'
import { count, list, port } from '../base/setting-types.ts'

/** Secrets of any length and characters: a comma or a backslash within one has a backslash before it. */
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

/** The settings of the public listener. */
export const receiveSettings = {
  HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address to listen on for webhooks; 0.0.0.0 takes them from other machines.'),
  PORT: port(3000).describe('Port of POST /webhooks, GET /healthz and GET /.well-known/jwks.json.'),
  WEBHOOK_SECRETS: z
    .string()
    .transform(readSecrets)
    .refine((secrets) => secrets.every((secret) => secret !== ''), 'must be secrets, separated by commas')
    .optional()
    .describe(
      'Required to receive: secrets that webhooks are signed with, newest first, separated by commas; a comma or a backslash of a secret is written \\, or \\\\. Best of 32 characters and more.',
    ),
  MAX_IN_FLIGHT: count(2_000, 100_000).describe(
    'Deliveries that may be in hand at once; more are answered 503 and sent again by the service.',
  ),
  MAX_IN_FLIGHT_BYTES: count(268_435_456, 68_719_476_736).describe(
    'How much memory their bodies may take at once, in bytes: six for each byte, and 100 for each field; more are answered 503 likewise. One body alone always has room.',
  ),
  MAX_BODY_BYTES: count(4_194_304, 67_108_864).describe('Largest webhook body that is read, in bytes.'),
  MAX_CONNECTIONS_PER_ADDRESS: count(500, 100_000).describe(
    'Connections that one address may have open at once; more are cut. Proxies among TRUSTED_PROXIES and this machine may have any number.',
  ),
  ALLOWED_ADDRESSES: ranges
    .optional()
    .describe(
      'Addresses and networks that webhooks are taken from, such as 192.0.2.7,198.51.100.0/24; all others are answered 403. Absent: from anywhere.',
    ),
  TRUSTED_PROXIES: ranges
    .optional()
    .describe(
      'Addresses and networks of the reverse proxies in front, whose X-Forwarded-For is believed; they must append to it or set it. Absent: none is.',
    ),
}
