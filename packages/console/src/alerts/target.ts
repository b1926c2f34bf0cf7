import type { AlertTargetName } from '@pawl/ledger/alerts/alert-records'
import type { AlertMessage } from './message.ts'

/** A target's answer: success, or the code of the failure. */
export type TargetAnswer = { ok: true; said: string } | { ok: false; code: string }

/** A destination of alerts. */
export interface AlertTarget {
  name: AlertTargetName
  /** Sends one message; never rejects. */
  send(this: void, message: AlertMessage): Promise<TargetAnswer>
  close(): void
}

/** Time limit of one message, in milliseconds. */
export const sendTimeoutMs = 10_000
