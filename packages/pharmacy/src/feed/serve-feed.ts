import type { Served, ServingDeps } from '@pawl/connector/served'
import { createIdentifyReader, type FeedKeys } from './feed-readers.ts'
import { createFeedRoutes } from './feed-routes.ts'

/** Serves the feed to the pharmacies that these keys name. */
export function serveFeed(keys: FeedKeys, { trustedProxies, refusedKey, ...deps }: ServingDeps): Served {
  const identify = createIdentifyReader({ keys, trustedProxies, refusedKey })
  return { says: 'pharmacies read GET /pharmacy/transfers', handle: createFeedRoutes({ identify, ...deps }) }
}
