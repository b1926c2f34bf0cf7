/** `bad`: a person must act; `warn`: look at it; `wait`: pawl goes on by itself. */
export type Severity = 'bad' | 'warn' | 'wait'

/** One fault, in words; `{name}` stands for a fact, and a sentence without its facts is left out. */
export interface FaultEntry {
  severity: Severity
  /** Begins the sentence: when it began and why follow. */
  title: string
  /** The consequence, as a sentence. */
  effect?: string
  /** What a person does about it, in a few words. */
  todo: string
  /** More that helps. */
  note?: string
  /** The console's page, and the action that it offers. */
  page?: string
  act?: string
  /** Whether that page only helps, and mends nothing. */
  isOptional?: true
  command?: string
  /** The heading of docs/runbook.md, as its anchor. */
  runbook: string
}
