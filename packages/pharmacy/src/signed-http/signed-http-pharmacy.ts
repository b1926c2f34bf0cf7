import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { type Clock, systemClock } from '@pawl/base/clock'
import { type Fetch, leanFetch } from '@pawl/base/net/fetch'
import { maxShortAnswerBytes } from '@pawl/base/net/read-bounded'
import type { CheckReport, RunContext } from '@pawl/connector/system'
import { readClockAhead, sayAhead } from '@pawl/base/net/clock-ahead'
import { type Answer, exchange, type FailedAnswer, type ExchangeRun, noRun } from '@pawl/connector/exchange'
import { PharmacyWriteFailed } from '../pharmacy-write-failed.ts'
import type { TestNotice, TransferNotice } from '../transfer-notice.ts'
import { createTransferPharmacy, type TransferPharmacy } from '../transfer-pharmacy.ts'

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
export function createSignedHttpPharmacy(options: SignedHttpPharmacyOptions): TransferPharmacy {
  const { url, secrets, clock = systemClock, fetch = leanFetch, timeoutMs = 15_000 } = options
  const signers = secrets.map((secret) => new Webhook(secret))

  function post(notice: TransferNotice | TestNotice, run: ExchangeRun): Promise<Answer> {
    const at = new Date(clock.now())
    const body = JSON.stringify(notice)
    return exchange({ clock, fetch, timeoutMs }, run, url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': notice.id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': signers.map((signer) => signer.sign(notice.id, at, body)).join(' '),
      },
      body,
      maxBytes: maxShortAnswerBytes,
    })
  }

  async function send(notice: TransferNotice, run: RunContext): Promise<void> {
    const answer = await post(notice, run)
    if (answer.ok) return
    const reason = [answer.reason, clockFault(answer, clock)].filter(Boolean).join('; ')
    throw new PharmacyWriteFailed({ ...answer, reason, resourceId: run.resourceId })
  }

  async function check(signal: AbortSignal): Promise<CheckReport> {
    const timestamp = new Date(clock.now()).toISOString()
    const notice: TestNotice = { id: `msg_test_${randomUUID()}`, type: 'prescription_transfer.test', timestamp }
    const answer = await post(notice, noRun(signal, timeoutMs))
    if (answer.ok) return { ok: true, findings: ['It took a signed test notice.'] }
    return {
      ok: false,
      findings: [`It did not take a signed test notice: ${answer.reason}. ${adviceOn(answer, clock)}`],
    }
  }

  return createTransferPharmacy({ send, check }, { clock })
}

/** How far receivers let the time of a post be off (Standard Webhooks). Milliseconds. */
const toleranceMs = 300_000

/** Why a right signature may be refused; undefined if the clocks agree, or the answer does not tell. */
function clockFault({ status, headers }: FailedAnswer, clock: Clock): string | undefined {
  const aheadMs = status === 401 || status === 403 ? readClockAhead(headers, clock.now()) : undefined
  if (aheadMs === undefined || Math.abs(aheadMs) < toleranceMs) return undefined
  return `the clock of this machine is ${sayAhead(aheadMs)} that of the pharmacy, and a signature holds for five minutes: set the wrong clock right`
}

function adviceOn(answer: FailedAnswer, clock: Clock): string {
  const { status } = answer
  const fault = clockFault(answer, clock)
  if (fault !== undefined) return `${fault.replace(/^t/, 'T')}.`
  if (status === undefined) return 'Is the address right, and may pawl reach it?'
  if (status === 401 || status === 403) return 'Compare PHARMACY_SECRET with the secret of the pharmacy.'
  if (status === 404 || status === 405) return 'Compare the address with the one from the pharmacy.'
  return 'The pharmacy should answer 2xx to the type prescription_transfer.test, and do nothing (docs/pharmacy.md).'
}
