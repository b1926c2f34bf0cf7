/** A span of sandbox time in milliseconds: min and max. */
export type Delay = readonly [min: number, max: number]

export const minutes = (min: number, max: number): Delay => [min * 60_000, max * 60_000]
export const hours = (min: number, max: number): Delay => minutes(min * 60, max * 60)

/** One legal move of a state machine. */
export interface Row<State extends string, Condition extends string> {
  from: State
  to: State
  /** Delay of the automatic move after entering `from`; absent: only through an endpoint or a control. */
  after?: Delay
  /** Condition of an automatic move. The first row whose condition holds wins. */
  when?: Condition
  /** The interface forbids the move unless `when` holds, so a push must satisfy it, too. */
  isRule?: boolean
}

/** The state of one machine for one resource: plain data, for storing and resuming. */
export interface Progress<State extends string = string> {
  state: State
  /** All entered states, oldest first. */
  visited: State[]
  /** Entry time of each, in sandbox time (ms since 1970). */
  enteredAt?: number[]
  /** The scheduled move, in sandbox time (ms since 1970). */
  due?: { at: number; to: State }
}

/** A state table with its conditions and the effects of entering a state. */
export interface Machine<Subject, State extends string, Condition extends string> {
  /** Unique among machines. */
  name: string
  rows: readonly Row<State, Condition>[]
  conditions: Record<Condition, (subject: Subject) => boolean>
  progressOf(subject: Subject): Progress<State> | undefined
  /** While true, no automatic move is scheduled; the walk's `resume` schedules it. */
  isSuspended?(subject: Subject): boolean
  /** Detail of the next state in a few words, such as an outcome or an error code. */
  detailOf?(subject: Subject, to: State): string | undefined
  /** Called after entering a state; changes the resource and emits events. */
  entered(subject: Subject, to: State): void
}
