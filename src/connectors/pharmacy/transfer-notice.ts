import { createHash } from 'node:crypto'
import { type PriorAuthorization, transferErrorCode } from '../../resources/prior-authorization.ts'
import type { RunContext } from '../../systems/system.ts'
import { dispensingPharmacyNcpdpId } from '../dispensing-pharmacy.ts'

/** What a pharmacy is told of one transfer; absent values are null. */
export interface TransferNotice {
  /** Stays the same while this state is being told, and is new for every state, also for one that was told before: the receiver drops copies by it. */
  id: string
  type: 'prescription_transfer.updated'
  data: TransferData
}

export type TransferData = ReturnType<typeof transferData>

/** What a pharmacy may hold of one transfer, as a connector's memory has it. */
const sentRole = 'transfer_sent'
const takenRole = 'transfer_taken'

/**
 * Tells a pharmacy how a PA's transfer stands, once for each state. What is about to be sent is remembered first: the pharmacy may hold it from
 * then on, whatever becomes of the request, so that a state which comes back after it is told as a new one.
 */
export async function tellTransfer(
  priorAuthorization: PriorAuthorization,
  { memory, wrote }: Pick<RunContext, 'memory' | 'wrote'>,
  send: (notice: TransferNotice) => Promise<void>,
): Promise<void> {
  if (priorAuthorization.prescription_transfer === undefined) return
  const data = transferData(priorAuthorization)
  // The PA's id is part of the data, whose fields always come in the order in which they are built.
  const digest = hashOf(JSON.stringify(data))
  const [sent, taken] = [await memory.read(sentRole), await memory.read(takenRole)]
  const isSame = sent?.digest === digest
  if (isSame && taken?.id === sent.id) return
  const id = isSame ? sent.id : `msg_${hashOf(`${sent?.id ?? ''} ${digest}`)}`
  if (!isSame) await memory.write(sentRole, { id, digest })
  await send({ id, type: 'prescription_transfer.updated', data })
  await memory.write(takenRole, { id })
  wrote({ type: 'prescription_transfer.updated', id })
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/**
 * Name and birth date are what a dispensing pharmacy matches an arriving prescription with, beside the drug; nothing more of the patient
 * leaves the house: no address, no insurance, no diagnosis, no outcome.
 */
function transferData(priorAuthorization: PriorAuthorization) {
  const { id, prescription_transfer: transfer, prescription, patient } = priorAuthorization
  return {
    prior_authorization_id: id,
    status: transfer?.status ?? null,
    confirmed: transfer?.confirmed ?? null,
    error_code: transferErrorCode(transfer) ?? null,
    pharmacy_ncpdp_id: dispensingPharmacyNcpdpId(priorAuthorization) ?? null,
    transfer_attempts: (transfer?.transfer_attempts ?? []).map(({ timestamp, pharmacy_ncpdp_id }) => ({
      timestamp: timestamp ?? null,
      pharmacy_ncpdp_id: pharmacy_ncpdp_id ?? null,
    })),
    confirmation_attempts: (transfer?.confirmation_attempts ?? []).map(({ timestamp, outcome }) => ({
      timestamp: timestamp ?? null,
      outcome: outcome ?? null,
    })),
    prescription: {
      drug_name: prescription?.drug_name ?? null,
      strength: prescription?.strength ?? null,
      dose_form: prescription?.dose_form ?? null,
      ndc: prescription?.ndc ?? null,
      quantity: prescription?.quantity ?? null,
      quantity_unit_of_measure: prescription?.quantity_unit_of_measure ?? null,
      directions: prescription?.directions ?? null,
    },
    patient: {
      first_name: patient?.first_name ?? null,
      last_name: patient?.last_name ?? null,
      date_of_birth: patient?.date_of_birth ?? null,
    },
  }
}
