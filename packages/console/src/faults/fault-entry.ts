/** `bad`: a person must act; `warn`: look at it; `wait`: pawl recovers by itself. */
export type Severity = 'bad' | 'warn' | 'wait'

/** One fault in words. `{name}` is a placeholder: a sentence of `note`, or a whole field, is left out if its placeholder has no value. */
export interface FaultEntry {
  severity: Severity
  /** Start of a sentence; its time and reason follow. */
  title: string
  /** The consequence, as a sentence. */
  effect?: string
  /** The remedy, in a few words. */
  todo: string
  /** More that helps. */
  note?: string
  /** The console's page, and the action that this page offers. */
  page?: string
  act?: string
  /** Whether that page only helps, and fixes nothing. */
  isOptional?: true
  /** Whether the fault itself is over, and only its consequence is left: it comes after those that last. */
  isPast?: true
  /** Whether the title states an age or a moment, and so takes no `since`. */
  isDated?: true
  command?: string
  /** The heading of docs/runbook.md, as its anchor. */
  runbook: string
}
