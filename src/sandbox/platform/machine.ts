/** A span of sandbox time in milliseconds: min and max. */
export type Delay = readonly [min: number, max: number]

export const minutes = (min: number, max: number): Delay => [min * 60_000, max * 60_000]
export const hours = (min: number, max: number): Delay => minutes(min * 60, max * 60)

/** One legal move of a state machine. */
export interface Row<State extends string, Condition extends string> {
  from: State
  to: State
  /** How long after entering `from` the move happens automatically; absent: only through an endpoint or a control. */
  after?: Delay
  /** The condition of an automatic move; the first row whose condition holds wins. */
  when?: Condition
  /** The interface forbids the move where `when` does not hold, so a push keeps to it as well. */
  isRule?: boolean
}

/** The state of one machine for one resource: plain data, so that it can be stored and resumed. */
export interface Progress<State extends string = string> {
  state: State
  /** Every state entered so far, oldest first. */
  visited: State[]
  /** When each of them was entered, in sandbox time (ms since 1970). */
  enteredAt?: number[]
  /** The scheduled move, in sandbox time (ms since 1970). */
  due?: { at: number; to: State }
}

/** A table with the meaning of its conditions and the effect of entering a state. */
export interface Machine<Subject, State extends string, Condition extends string> {
  /** Unique among machines. */
  name: string
  rows: readonly Row<State, Condition>[]
  conditions: Record<Condition, (subject: Subject) => boolean>
  progressOf(subject: Subject): Progress<State> | undefined
  /** While true, no automatic move is scheduled; `resume` of the walk schedules it. */
  isHeld?(subject: Subject): boolean
  /** What the state that is entered next does not say by itself, in a few words: an outcome, an error code. */
  detailOf?(subject: Subject, to: State): string | undefined
  /** Called after the state was entered; changes the resource and emits. */
  entered(subject: Subject, to: State): void
}
