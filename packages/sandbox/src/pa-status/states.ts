import type { paStatuses } from 'pawl-client/schemas/pa-status'
import { hours, minutes, type Row } from '../platform/machine.ts'

/** The states of a PA status check, unreleased (supplement, Other endpoints). */
export type PaStatusState = keyof typeof paStatuses

export type PaStatusCondition = 'fails' | 'isInstant'

export const paStatusRows: readonly Row<PaStatusState, PaStatusCondition>[] = [
  { from: 'pending', to: 'failed', after: minutes(1, 10), when: 'fails' },
  { from: 'pending', to: 'completed', after: minutes(1, 10), when: 'isInstant' },
  { from: 'pending', to: 'completed', after: hours(2, 24) },
]
