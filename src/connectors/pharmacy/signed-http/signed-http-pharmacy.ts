import { Webhook } from 'standardwebhooks'
import { type Clock, systemClock } from '../../../base/clock.ts'
import { type Fetch, leanFetch } from '../../../base/net/fetch.ts'
import type { RunContext, System } from '../../../systems/system.ts'
import { exchange } from '../../exchange.ts'
import { PharmacyWriteFailed } from '../pharmacy-write-failed.ts'
import type { Pharmacy } from '../pharmacy.ts'
import { rehearseTransfer, tellTransfer } from '../tell-transfer.ts'
import type { TransferNotice } from '../transfer-notice.ts'

export interface SignedHttpPharmacyOptions {
  /** The address that receives notices. */
  url: string
  /** The shared Standard Webhooks secrets, newest first: Base64, with or without the prefix `whsec_`. Each signs, so the receiver can rotate in its own time. */
  secrets: readonly string[]
  fetch?: Fetch
  /** Time limit of one request, in milliseconds. Default 15,000. */
  timeoutMs?: number
  clock?: Clock
}

/** A pharmacy that takes POSTs signed by Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`, the last two fresh for each attempt. Throws `PharmacyWriteFailed`. */
export function createSignedHttpPharmacy(options: SignedHttpPharmacyOptions): System<Pharmacy> {
  const { url, secrets, clock = systemClock, fetch = leanFetch, timeoutMs = 15_000 } = options
  const signers = secrets.map((secret) => new Webhook(secret))

  async function post(notice: TransferNotice, run: RunContext): Promise<void> {
    const at = new Date(clock.now())
    const body = JSON.stringify(notice)
    const answer = await exchange({ clock, fetch, timeoutMs }, run, url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': notice.id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': signers.map((signer) => signer.sign(notice.id, at, body)).join(' '),
      },
      body,
    })
    if (answer.ok) return
    const { reason, retry, isOutage, mayBeOutage, request } = answer
    throw new PharmacyWriteFailed({ resourceId: run.resourceId, reason, retry, isOutage, mayBeOutage, request })
  }

  return {
    open: (run) => ({
      putPrescriptionTransfer: (priorAuthorization) =>
        tellTransfer(priorAuthorization, run, clock, (notice) => post(notice, run)),
    }),
    rehearse: (run) => rehearseTransfer(run, clock),
  }
}
