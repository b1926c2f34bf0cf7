import type { Clock } from '@pawl/base/clock'
import type { PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import type { RunContext } from '@pawl/connector/system'
import { PharmacyRouteMissing } from './pharmacy-route-missing.ts'
import { supersededData, transferData } from './transfer-data.ts'
import type { TransferData, TransferNotice } from './transfer-notice.ts'

/** Roles in the connector's memory: the last notice sent, and the last one accepted. */
export const sentRole = 'transfer_sent'
const takenRole = 'transfer_taken'
/** Role of the notice that a pharmacy lost the transfer; its digest is set once the pharmacy accepted it. */
const supersededRole = (ncpdpId: string) => `transfer_superseded ${ncpdpId}`
const wasTaken = 'taken'

/** Position of a notice within its transfer. */
type Position = Pick<TransferNotice, 'sequence' | 'timestamp'>

/** How notices are made. */
export interface TellOptions {
  clock: Clock
  /** Link to a case, with `{id}` for the id of the PA. */
  caseUrl?: string | undefined
  /** NCPDP ids of pharmacies that read the feed. */
  feedIds?: ReadonlySet<string> | undefined
}

/** How notices are made, and their channel to the pharmacy. */
interface Way extends TellOptions {
  send: (notice: TransferNotice) => Promise<void>
  serves?: ((ncpdpId: string | undefined) => boolean) | undefined
}

/**
 * Sends a pharmacy each state of a PA's transfer once, and tells the pharmacy that lost it, once. Each notice is remembered before it is sent,
 * since a failed request may still have arrived. A retry, in this process or the next, repeats id, sequence and time; a state that returns gets
 * a new notice. Throws `PharmacyRouteMissing`.
 */
export async function tellTransfer(
  priorAuthorization: PriorAuthorization,
  run: Pick<RunContext, 'memory' | 'digest' | 'wrote' | 'log' | 'publish'>,
  way: Way,
): Promise<void> {
  if (priorAuthorization.prescription_transfer === undefined) return
  const { memory, digest: digestOf } = run
  const data = transferData(priorAuthorization)
  const ncpdpId = idOf(data.pharmacy_ncpdp_id)
  if (way.serves?.(ncpdpId) === false) {
    if (ncpdpId !== undefined) throw new PharmacyRouteMissing({ resourceId: data.prior_authorization_id, ncpdpId })
    run.log.info({}, 'the transfer names no pharmacy yet, so no notice is sent')
    return
  }

  // The data includes the PA's id, and its fields always come in the same order.
  const digest = digestOf(JSON.stringify(data))
  const [sent, taken] = [await memory.read(sentRole), await memory.read(takenRole)]
  const last = readPosition(sent?.version)
  const isSame = sent?.digest === digest && last !== undefined
  const lostBy = isSame || last?.ncpdpId === ncpdpId ? undefined : last?.ncpdpId
  // The pharmacy that lost the transfer gets the preceding number.
  const told = lostBy === undefined ? last : { ...last, ...after(last, way.clock.now()) }
  const position = isSame ? last : nextPosition(told, data, way.clock.now())
  const id = isSame ? sent.id : `msg_${digestOf(`${position.sequence} ${digest}`)}`
  if (lostBy !== undefined && told !== undefined)
    await memory.write(supersededRole(lostBy), {
      id: `msg_${digestOf(`${told.sequence} ${data.prior_authorization_id} superseded`)}`,
      version: writePosition(told),
    })
  if (!isSame) await memory.write(sentRole, { id, version: writePosition({ ...position, ncpdpId }), digest })
  if (!isSame || taken?.id !== sent.id) {
    await tell({ id, position, data, caseUrl: linkTo(way.caseUrl, data.prior_authorization_id) }, run, way)
    await memory.write(takenRole, { id })
  }

  for (const lost of formerPharmacies(data, priorAuthorization, lostBy)) {
    const superseded = await memory.read(supersededRole(lost))
    const position = readPosition(superseded?.version)
    if (superseded === undefined || position === undefined || superseded.digest === wasTaken) continue
    if (way.serves?.(lost) !== false)
      await tell({ id: superseded.id, position, data: supersededData(priorAuthorization, lost) }, run, way)
    await memory.write(supersededRole(lost), { ...superseded, digest: wasTaken })
  }
}

/** Sends the notice, and adds it to the feed if its pharmacy reads the feed. */
async function tell(
  {
    id,
    position: { sequence, timestamp },
    data,
    caseUrl = null,
  }: { id: string; position: Position; data: TransferData; caseUrl?: string | null },
  { publish, wrote }: Pick<RunContext, 'publish' | 'wrote'>,
  { feedIds, send }: Way,
): Promise<void> {
  const type = 'prescription_transfer.updated'
  const notice: TransferNotice = { id, type, sequence, timestamp, data, case_url: caseUrl }
  const ncpdpId = idOf(data.pharmacy_ncpdp_id)
  if (ncpdpId !== undefined && feedIds?.has(ncpdpId) === true)
    await publish?.({ id, reader: ncpdpId, text: JSON.stringify(notice) })
  await send(notice)
  wrote({ type, id, version: String(sequence) })
}

/** The other pharmacies that received the transfer. */
function formerPharmacies(
  data: TransferData,
  { ndp_submission: submission }: PriorAuthorization,
  lostBy: string | undefined,
): string[] {
  const ids = [
    ...data.transfer_attempts.map((attempt) => attempt.pharmacy_ncpdp_id),
    submission?.preferred_pharmacy_ncpdp_id,
    lostBy,
  ].flatMap((id) => idOf(id) ?? [])
  return [...new Set(ids)].filter((id) => id !== idOf(data.pharmacy_ncpdp_id))
}

function idOf(text: string | null | undefined): string | undefined {
  const id = text?.trim() ?? ''
  return id === '' ? undefined : id
}

function linkTo(caseUrl: string | undefined, id: string): string | null {
  return caseUrl?.replaceAll('{id}', encodeURIComponent(id)) ?? null
}

function writePosition({ sequence, timestamp, ncpdpId }: Position & { ncpdpId?: string | undefined }): string {
  return [sequence, timestamp, ...(ncpdpId === undefined ? [] : [ncpdpId])].join(' ')
}

/** Position and pharmacy of an earlier notice. Undefined without one, or if it predates the numbering. */
function readPosition(version: string | undefined): (Position & { ncpdpId: string | undefined }) | undefined {
  const [sequence, timestamp, ...ncpdpId] = version?.split(' ') ?? []
  return timestamp === undefined
    ? undefined
    : { sequence: Number(sequence), timestamp, ncpdpId: idOf(ncpdpId.join(' ')) }
}

/** The next number is that of the second, if it is not behind: a ledger that was restored, or lost, has forgotten the last ones, and the pharmacy drops what is lower. */
function after(last: Position | undefined, now: number): Position {
  const sequence = Math.max((last?.sequence ?? 0) + 1, Math.floor(now / 1_000))
  return { sequence, timestamp: new Date(now).toISOString() }
}

/** A new attempt dates the state; any other change has no time of its own and is dated when first seen. */
function nextPosition(last: Position | undefined, data: TransferData, now: number): Position {
  const told = last === undefined ? -Infinity : Date.parse(last.timestamp)
  const times = [...data.transfer_attempts, ...data.confirmation_attempts].map(({ timestamp }) =>
    Date.parse(timestamp ?? ''),
  )
  const newest = Math.max(...times.filter((time) => time > told && time <= now))
  const next = after(last, now)
  return Number.isFinite(newest) ? { ...next, timestamp: new Date(newest).toISOString() } : next
}
