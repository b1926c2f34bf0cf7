import { EhrWriteFailed } from '../../src/ehr-write-failed.ts'
import { retryOf } from '../../../base/src/errors.ts'
import type { BenefitVerificationCase } from './benefit-verification-cases.ts'
import type { Ehr } from '../../src/ehr.ts'
import type { Matter } from './expectations.ts'
import { isWaiting, type PriorAuthorizationCase } from './prior-authorization-cases.ts'

export type Case = PriorAuthorizationCase | BenefitVerificationCase

/** Does one piece of work until it is done or parked. */
export type Act = (work: () => Promise<void>) => Promise<void>

/** Acts as the gateway does on its handlers: again after what may pass, and parked after what may not. `parked` collects why. */
export function createAct(parked: string[]): Act {
  return async (work) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (retryOf(error) === 'never') return void parked.push(error instanceof Error ? error.message : 'unknown')
        if (attempt === 5 || !(error instanceof EhrWriteFailed)) throw error
      }
    }
  }
}

/** Brings the chart to one snapshot of a case, as handlers do. */
export async function bringTo(ehr: Ehr, each: Case, at: number, act: Act): Promise<void> {
  if (each.kind === 'benefit_verification') {
    const bv = each.snapshots[at] ?? each.snapshots[0]
    return act(() => ehr.putBenefitVerification(bv))
  }
  const pa = each.snapshots[at] ?? each.snapshots[0]
  await act(() => ehr.putPriorAuthorization(pa))
  if (pa.prescription_transfer !== undefined) await act(() => ehr.putPrescriptionTransfer(pa))
  for (const message of pa.message_thread?.messages ?? []) await act(() => ehr.putMessage(pa, message))
  if (isWaiting(pa.status)) {
    const task = { title: 'Act on a prior authorization', reason: pa.status, instructions: 'See what is asked for.' }
    await act(() => ehr.openStaffTask(pa, task))
  } else await act(() => ehr.closeStaffTask(pa, pa.status === 'cancelled' ? 'cancelled' : 'completed'))
  if (at < each.snapshots.length - 1) return
  for (const file of each.files) await act(() => ehr.putFile(pa, file))
  for (const note of each.notes) await act(() => ehr.putNote(pa, note))
}

/** Expected content of the chart after the last snapshot of a case. */
export function matterOf(
  each: Case,
  { patientId, formerPatientId, leftOut }: Pick<Matter, 'patientId' | 'formerPatientId' | 'leftOut'>,
): Matter {
  if (each.kind === 'benefit_verification')
    return {
      kind: each.kind,
      patientId,
      formerPatientId,
      leftOut,
      resource: each.snapshots.at(-1) ?? each.snapshots[0],
    }
  const { kind, snapshots, files, notes, staffTask } = each
  const earlier = snapshots.slice(0, -1).map(({ status }) => status)
  return {
    kind,
    patientId,
    formerPatientId,
    leftOut,
    resource: snapshots.at(-1) ?? snapshots[0],
    earlier,
    files,
    notes,
    staffTask,
  }
}
