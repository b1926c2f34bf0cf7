import type { Ledger } from '../../../ledger/src/ledger.ts'
import { type ResourceKind, isTerminal } from '../../../client/src/schemas/kinds.ts'
import { snapshotFacts } from '../../../../src/work/snapshot.ts'
import type { Note } from '../../../ledger/src/hot/notes.ts'
import { aDelivery } from '../../../ledger/test/a-delivery.ts'

export const hourMs = 3_600_000

/** How a resource looked so many hours after the beginning; what is not said again stays. */
export type Journey = readonly (readonly [hours: number, looks: Record<string, unknown>])[]

export const approved = { status: 'completed', outcome: { result: 'Approved', detail_code: 'approval' } }
export const denied = (reason: string) => ({ status: 'completed', outcome: { result: 'Denied', detail_code: reason } })
export const notSubmitted = (reason: string) => ({
  status: 'not_submitted',
  outcome: { result: 'Not Submitted', detail_code: reason },
})

/** The identifiers of one payer, drug and provider, as a PA carries them. */
export const of = (payer: string, ndc: string, npi: string) => ({
  insurance: [{ discrete_content: { rx_bin: payer, rx_pcn: 'pcn1', member_number: 'M-1' } }],
  prescription: { ndc },
  provider: { npi, last_name: 'Muster' },
  patient: { internal_id: 'patient-7', last_name: 'Sample' },
})

interface Living {
  ledger: Ledger
  start: number
  setNow: (now: number) => void
  /** Called after each release. */
  afterwards?: (() => Promise<void>) | undefined
}

/** Has the ledger follow the journey of one resource: each time a webhook comes, and a worker reads it one minute later. */
export async function live(
  { ledger, start, setNow, afterwards }: Living,
  id: string,
  journey: Journey,
  kind: ResourceKind = 'prior_authorization',
): Promise<void> {
  let data: Record<string, unknown> = { id }
  for (const [hours, looks] of journey) {
    data = { ...data, ...looks }
    setNow(start + hours * hourMs)
    await ledger.accept(aDelivery({ resourceId: id, kind, eventType: `${kind}.status_change`, body: { data, hours } }))
    const readAt = start + hours * hourMs + 60_000
    setNow(readAt)
    await ledger.followClock(1_000)
    const claim = await ledger.claim(id, 1_000, {})
    if (claim === undefined) throw new Error(`${id} could not be claimed`)
    const text = JSON.stringify(data)
    const note: Note = {
      of: 'snapshot',
      text,
      eventId: claim.newestEventId,
      terminal: isTerminal(kind, String(data.status)),
      pollInMs: undefined,
      facts: snapshotFacts(claim.snapshot?.document, { kind, data, text, readAt }),
    }
    await ledger.release(claim, { notes: [note], dueInMs: undefined, restMs: 0 })
    await afterwards?.()
  }
}
