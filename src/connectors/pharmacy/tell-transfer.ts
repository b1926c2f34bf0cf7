import type { Clock } from '../../base/clock.ts'
import type { PriorAuthorization } from '../../service/schemas/prior-authorization.ts'
import type { RehearsalContext, RunContext } from '../../systems/system.ts'
import type { Pharmacy } from './pharmacy.ts'
import { transferData } from './transfer-data.ts'
import type { TransferData, TransferNotice } from './transfer-notice.ts'

/** What a pharmacy may hold of one transfer, as a connector's memory has it. */
const sentRole = 'transfer_sent'
const takenRole = 'transfer_taken'

/** Where a notice stands among those of its transfer. */
type Place = Pick<TransferNotice, 'sequence' | 'timestamp'>

/**
 * Tells a pharmacy how a PA's transfer stands, once for each state. What is about to be sent is remembered first: the pharmacy may hold it from
 * then on, whatever becomes of the request, so that a state which comes back after it is told as a new one, and one that is told again, in this
 * process or the next, has the same id, sequence and time.
 */
export async function tellTransfer(
  priorAuthorization: PriorAuthorization,
  { memory, digest: digestOf, wrote }: Pick<RunContext, 'memory' | 'digest' | 'wrote'>,
  clock: Clock,
  send: (notice: TransferNotice) => Promise<void>,
): Promise<void> {
  if (priorAuthorization.prescription_transfer === undefined) return
  const data = transferData(priorAuthorization)
  // The PA's id is part of the data, whose fields always come in the order in which they are built.
  const digest = digestOf(JSON.stringify(data))
  const [sent, taken] = [await memory.read(sentRole), await memory.read(takenRole)]
  const last = readPlace(sent?.version)
  const isSame = sent?.digest === digest && last !== undefined
  if (isSame && taken?.id === sent.id) return
  const id = isSame ? sent.id : `msg_${digestOf(`${sent?.id ?? ''} ${digest}`)}`
  const place = isSame ? last : nextPlace(last, data, clock.now())
  if (!isSame) await memory.write(sentRole, { id, version: `${place.sequence} ${place.timestamp}`, digest })
  await send({ id, type: 'prescription_transfer.updated', ...place, data })
  await memory.write(takenRole, { id })
  wrote({ type: 'prescription_transfer.updated', id, version: String(place.sequence) })
}

/** The pharmacy of a rehearsal: notes what would be told, and tells nobody. */
export function rehearseTransfer(run: RehearsalContext, clock: Clock): Pharmacy {
  return {
    putPrescriptionTransfer: (priorAuthorization) => tellTransfer(priorAuthorization, run, clock, async () => {}),
  }
}

/** Undefined where nothing was told, or only before notices were numbered. */
function readPlace(version: string | undefined): Place | undefined {
  const [sequence, timestamp] = version?.split(' ') ?? []
  return timestamp === undefined ? undefined : { sequence: Number(sequence), timestamp }
}

/** An attempt dates the state if it is news; what changes beside the attempts has no time of its own, and is dated when it is first seen. */
function nextPlace(last: Place | undefined, data: TransferData, now: number): Place {
  const told = last === undefined ? -Infinity : Date.parse(last.timestamp)
  const times = [...data.transfer_attempts, ...data.confirmation_attempts].map(({ timestamp }) =>
    Date.parse(timestamp ?? ''),
  )
  const newest = Math.max(...times.filter((time) => time > told && time <= now))
  return {
    sequence: (last?.sequence ?? 0) + 1,
    timestamp: new Date(Number.isFinite(newest) ? newest : now).toISOString(),
  }
}
