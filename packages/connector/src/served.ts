import type { RequestHandler } from 'express'
import type { AddressRanges } from '@pawl/base/net/address-ranges'
import type { SampledLog } from '@pawl/base/sampled-log'

/** A reader of the feed: its name, and the NCPDP ids whose notices are its own. */
export interface FeedReader {
  name: string
  ncpdpIds: readonly string[]
}

/** A few notices of one reader. */
export interface FeedPage {
  notices: { sequence: number; resourceId: string; id: string; text: string }[]
  hasMore: boolean
}

/** The notices that systems published, as the ledger keeps them. */
export interface PublishedNotices {
  /** The next notices of these NCPDP ids after that number. `purged`: retention deleted some of them. `unknown`: no such number was given out. */
  feed(query: { readers: readonly string[]; after: number; limit: number }): Promise<FeedPage | 'purged' | 'unknown'>
  /** Records the read of these notices in the audit trail; call it before handing them out. */
  noteFeedRead(reader: FeedReader, notices: FeedPage['notices']): Promise<void>
  /** Records that the reader has a notice and all earlier ones of the same transfer; resolves with the time of the first acknowledgement. */
  acknowledge(reader: FeedReader, noticeId: string): Promise<{ at: number } | 'gone' | 'unknown'>
}

/** Dependencies for serving a system's own requests. */
export interface ServingDeps {
  ledger: PublishedNotices
  trustedProxies: AddressRanges
  /** Records a request without a valid key, from this address, in the audit trail. */
  refusedKey(this: void, address: string): void
  /** Aborts when the process stops: waiting requests are answered. */
  stopping: AbortSignal
  sampledLog: SampledLog
}

/** Requests of another system that the public listener passes on. */
export interface Served {
  /** The sender and the request, as in "pharmacies read GET /pharmacy/transfers". */
  says: string
  handle: RequestHandler
}
