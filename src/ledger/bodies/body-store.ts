import { PawlError, type Retry } from '../../errors.ts'

/** Where sealed bodies are kept that are older than a day: a folder, or a bucket. */
export type BodyStoreSettings =
  | { kind: 'folder'; path: string }
  | {
      kind: 's3'
      endpoint: string
      bucket: string
      /** Before every key, without a slash at its end; may be empty. */
      prefix: string
      region: string
      accessKeyId: string
      secretAccessKey: string
    }

/** Keeps sealed bodies under keys such as `2026-11-22/17-…`: the day of the event, then its own name. Every method ends in bounded time and throws `BodyStoreAway` where the store cannot do what it is asked. */
export interface BodyStore {
  /** Resolves once the bytes are durable; what had the key before is replaced, never half of it. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** `undefined` where the store has no such key. */
  get(key: string): Promise<Uint8Array | undefined>
  /** Keys that are not there count as deleted. */
  delete(keys: readonly string[]): Promise<void>
  /** The days that it has bodies of, in no order. */
  days(): Promise<string[]>
  /** Some keys of a day; a cursor leads to more of them. */
  list(day: string, cursor?: string): Promise<{ keys: string[]; cursor: string | undefined }>
}

/** The store of bodies cannot be used now; what is in the ledger is not concerned. */
export class BodyStoreAway extends PawlError {
  readonly code = 'body_store_away'
  override readonly retry: Retry = 'backoff'
  override readonly costsAttempt = false
}

/** The ledger says that a body is in the store, and the store has none of that key. */
export class BodyMissing extends PawlError {
  readonly code = 'body_missing'
}
