import { Webhook } from 'standardwebhooks'
import { type Clock, systemClock } from '../../../clock.ts'
import { type Fetch, leanFetch } from '../../../fetch.ts'
import type { RunContext, System } from '../../../systems/system.ts'
import { exchange } from '../../exchange.ts'
import { notConfigured } from '../../not-configured.ts'
import { createMemoryPharmacy } from '../memory/memory-pharmacy.ts'
import { PharmacyWriteFailed } from '../pharmacy-write-failed.ts'
import type { Pharmacy } from '../pharmacy.ts'
import { tellTransfer } from '../tell-transfer.ts'
import type { TransferNotice } from '../transfer-notice.ts'

export interface SignedHttpPharmacyOptions {
  /** Where the pharmacy's system receives transfers. */
  url: string
  /** The Standard Webhooks secret that both sides know: Base64, with or without the prefix `whsec_`. */
  secret: string
  fetch?: Fetch
  /** Milliseconds that one request may take. Default 15,000. */
  timeoutMs?: number
  clock?: Clock
}

/** The settings that the pharmacy is reached by. */
export interface PharmacySettings {
  NODE_ENV: string
  PHARMACY_URL?: string | undefined
  PHARMACY_SECRET?: string | undefined
}

/** The pharmacy that the settings name. Without one, production parks what would be sent, and development keeps it in memory. */
export function signedHttpPharmacy(settings: PharmacySettings): System<Pharmacy> {
  const { PHARMACY_URL: url, PHARMACY_SECRET: secret } = settings
  if (url !== undefined && secret !== undefined) return createSignedHttpPharmacy({ url, secret })
  if (settings.NODE_ENV === 'production') return notConfigured('PHARMACY_URL')
  return {
    ...createMemoryPharmacy(),
    notice: 'PHARMACY_URL is not set: what is sent to the pharmacy stays in memory',
  }
}

/** A pharmacy that is told by POST, signed as Standard Webhooks says: `webhook-id`, `webhook-timestamp`, `webhook-signature`. Throws `PharmacyWriteFailed`. */
export function createSignedHttpPharmacy(options: SignedHttpPharmacyOptions): System<Pharmacy> {
  const { url, secret, clock = systemClock, fetch = leanFetch, timeoutMs = 15_000 } = options
  const signer = new Webhook(secret)

  async function post(notice: TransferNotice, run: RunContext): Promise<void> {
    const at = new Date(clock.now())
    const body = JSON.stringify(notice)
    const answer = await exchange({ clock, fetch, timeoutMs }, run, url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': notice.id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': signer.sign(notice.id, at, body),
      },
      body,
    })
    if (answer.ok) return
    const { reason, retry, isOutage, mayBeOutage } = answer
    throw new PharmacyWriteFailed({ resourceId: run.resourceId, reason, retry, isOutage, mayBeOutage })
  }

  return {
    open: (run) => ({
      putPrescriptionTransfer: (priorAuthorization) =>
        tellTransfer(priorAuthorization, run, clock, (notice) => post(notice, run)),
    }),
  }
}
