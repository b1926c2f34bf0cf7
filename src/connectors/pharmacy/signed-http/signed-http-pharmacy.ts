import { Webhook } from 'standardwebhooks'
import { type Clock, systemClock } from '../../../clock.ts'
import { type Fetch, leanFetch } from '../../../fetch.ts'
import { exchange } from '../../exchange.ts'
import { PharmacyWriteFailed } from '../pharmacy-write-failed.ts'
import type { Pharmacy } from '../pharmacy.ts'
import { toTransferNotice } from '../transfer-notice.ts'

export interface SignedHttpPharmacyOptions {
  /** Where the pharmacy's system receives transfers. */
  url: string
  /** The Standard Webhooks secret that both sides know: Base64, with or without the prefix `whsec_`. */
  secret: string
  fetch?: Fetch
  /** Milliseconds that one request may take. Default 15,000. */
  timeoutMs?: number
  clock?: Clock
  /** Aborts every request of this connector. */
  signal?: AbortSignal
}

/** A pharmacy that is told by POST, signed as Standard Webhooks says: `webhook-id`, `webhook-timestamp`, `webhook-signature`. Throws `PharmacyWriteFailed`. */
export function createSignedHttpPharmacy(options: SignedHttpPharmacyOptions): Pharmacy {
  const { url, secret, clock = systemClock, fetch = leanFetch, timeoutMs = 15_000, signal } = options
  const signer = new Webhook(secret)
  const deps = { clock, fetch, timeoutMs, ...(signal === undefined ? {} : { signal }) }

  return {
    async putPrescriptionTransfer(priorAuthorization) {
      const notice = toTransferNotice(priorAuthorization)
      if (notice === undefined) return []
      const { id, type, data } = notice
      const at = new Date(clock.now())
      const body = JSON.stringify({ type, timestamp: at.toISOString(), data })
      const answer = await exchange(deps, url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': signer.sign(id, at, body),
        },
        body,
      })
      if (!answer.ok) {
        const { reason, retry, isOutage, mayBeOutage } = answer
        throw new PharmacyWriteFailed({ resourceId: priorAuthorization.id, reason, retry, isOutage, mayBeOutage })
      }
      return [{ system: 'pharmacy', type, id }]
    },
  }
}
