import type { Clock } from '../../base/clock.ts'
import type { PriorAuthorization } from '../../service/schemas/prior-authorization.ts'
import type { RehearsalContext, RunContext } from '../../systems/system.ts'
import type { Pharmacy } from './pharmacy.ts'
import { transferData } from './transfer-data.ts'
import type { TransferData, TransferNotice } from './transfer-notice.ts'

/** Roles in the connector's memory: the last notice sent, and the last one taken. */
const sentRole = 'transfer_sent'
const takenRole = 'transfer_taken'

/** Position of a notice within its transfer. */
type Position = Pick<TransferNotice, 'sequence' | 'timestamp'>

/**
 * Sends the state of a PA's transfer to a pharmacy, once for each state. The notice is remembered before it is sent, since the pharmacy may have
 * it even if the request fails. So a state that comes back gets a new notice, and a retry, in this process or the next, repeats id, sequence and
 * time.
 */
export async function tellTransfer(
  priorAuthorization: PriorAuthorization,
  { memory, digest: digestOf, wrote }: Pick<RunContext, 'memory' | 'digest' | 'wrote'>,
  clock: Clock,
  send: (notice: TransferNotice) => Promise<void>,
): Promise<void> {
  if (priorAuthorization.prescription_transfer === undefined) return
  const data = transferData(priorAuthorization)
  // The data includes the PA's id, and its fields always come in the same order.
  const digest = digestOf(JSON.stringify(data))
  const [sent, taken] = [await memory.read(sentRole), await memory.read(takenRole)]
  const last = readPosition(sent?.version)
  const isSame = sent?.digest === digest && last !== undefined
  if (isSame && taken?.id === sent.id) return
  const id = isSame ? sent.id : `msg_${digestOf(`${sent?.id ?? ''} ${digest}`)}`
  const position = isSame ? last : nextPosition(last, data, clock.now())
  if (!isSame) await memory.write(sentRole, { id, version: `${position.sequence} ${position.timestamp}`, digest })
  await send({ id, type: 'prescription_transfer.updated', ...position, data })
  await memory.write(takenRole, { id })
  wrote({ type: 'prescription_transfer.updated', id, version: String(position.sequence) })
}

/** The pharmacy of a rehearsal: records the notice without sending it. */
export function rehearseTransfer(run: RehearsalContext, clock: Clock): Pharmacy {
  return {
    putPrescriptionTransfer: (priorAuthorization) => tellTransfer(priorAuthorization, run, clock, async () => {}),
  }
}

/** Undefined without an earlier notice, or if it predates the numbering. */
function readPosition(version: string | undefined): Position | undefined {
  const [sequence, timestamp] = version?.split(' ') ?? []
  return timestamp === undefined ? undefined : { sequence: Number(sequence), timestamp }
}

/** A new attempt dates the state; any other change has no time of its own and is dated when first seen. */
function nextPosition(last: Position | undefined, data: TransferData, now: number): Position {
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
