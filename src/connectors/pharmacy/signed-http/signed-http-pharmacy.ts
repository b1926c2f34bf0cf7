import type { Clock } from '../../../clock.ts'
import type { Pharmacy } from '../pharmacy.ts'

export interface SignedHttpPharmacyOptions {
  /** Where the pharmacy's system receives transfers. */
  url: string
  /** The Standard Webhooks secret that both sides know: Base64, with or without the prefix `whsec_`. */
  secret: string
  fetch?: typeof globalThis.fetch
  /** Milliseconds that one request may take. Default 15,000. */
  timeoutMs?: number
  clock?: Clock
  /** Aborts every request of this connector. */
  signal?: AbortSignal
}

/** A pharmacy that is told by signed HTTP. */
export function createSignedHttpPharmacy(_options: SignedHttpPharmacyOptions): Pharmacy {
  throw new Error('being written')
}
