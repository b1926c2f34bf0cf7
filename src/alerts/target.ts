import type { AlertMessage } from './message.ts'

/** What a target said: that it took a message, or a code that says why not. */
export type TargetAnswer = { ok: true; said: string } | { ok: false; code: string }

/** Where alerts go. */
export interface AlertTarget {
  name: 'url' | 'slack' | 'email'
  /** Sends one message; never rejects. */
  send(this: void, message: AlertMessage): Promise<TargetAnswer>
  close(): void
}

/** How long one message may take, in milliseconds. */
export const sendTimeoutMs = 10_000
