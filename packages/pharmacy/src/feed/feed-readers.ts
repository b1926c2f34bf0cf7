import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createLoginLimits, readOrigin } from '@pawl/base/net/login-limits'
import { readSender } from '@pawl/base/net/sender-address'
import type { FeedReader, ServingDeps } from '@pawl/connector/served'
import type { PharmacySettings } from '../settings.ts'

/** Pharmacies that read the feed, by name. */
export type FeedKeys = NonNullable<PharmacySettings['PHARMACY_FEED_KEYS']>

interface FeedReadersDeps extends Pick<ServingDeps, 'trustedProxies' | 'refusedKey'> {
  keys: FeedKeys
  /** Monotonic clock, in milliseconds. */
  elapsed?: () => number
}

/** Identifies the reading pharmacy by the key of its request. */
export type IdentifyReader = (
  req: IncomingMessage,
) => FeedReader | { refused: 'missing' | 'wrong' } | { retryAfterSeconds: number }

/** Creates the key check. Each address may send as many wrong keys as the console takes wrong passwords for one name, per process. */
export function createIdentifyReader({ keys, trustedProxies, refusedKey, elapsed }: FeedReadersDeps): IdentifyReader {
  const limits = createLoginLimits({ isShared: false, ...(elapsed && { elapsed }) })
  const known = Object.entries(keys).flatMap(([name, { ncpdp_ids: ncpdpIds, key }]) =>
    key.map((each) => ({ digest: digestOf(each), reader: { name, ncpdpIds } })),
  )

  return (req) => {
    const given = /^Bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1]
    if (given === undefined) return { refused: 'missing' }
    const digest = digestOf(given)
    // Every key is compared, in constant time.
    const [found] = known.filter((each) => timingSafeEqual(each.digest, digest))
    if (found !== undefined) return found.reader
    // A right key always passes: 32 characters are beyond guessing, and a stranger must not lock a pharmacy out.
    const origin = readOrigin(req, trustedProxies)
    const guess = { origin, name: origin }
    const retryAfterSeconds = limits.waitFor(guess)
    if (retryAfterSeconds !== undefined) return { retryAfterSeconds }
    limits.take(guess)
    refusedKey(readSender(req, trustedProxies) ?? '')
    return { refused: 'wrong' }
  }
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
