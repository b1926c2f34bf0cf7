/** A span of sandbox time in milliseconds: shortest and longest. */
export type Delay = readonly [shortest: number, longest: number]

export const minutes = (shortest: number, longest: number): Delay => [shortest * 60_000, longest * 60_000]
export const hours = (shortest: number, longest: number): Delay => minutes(shortest * 60, longest * 60)

/** One legal move of a state machine. */
export interface Row<State extends string, Condition extends string> {
  from: State
  to: State
  /** How long after entering `from` the move happens by itself; absent: only by hand (an endpoint or a control). */
  after?: Delay
  /** What must hold for the move to happen by itself; of several rows the first that holds wins. */
  when?: Condition
}

/** How far one machine is with one resource: data, so that it can be stored and taken up again. */
export interface Progress<State extends string = string> {
  state: State
  /** Every state entered so far, oldest first. */
  visited: State[]
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
  /** While this holds nothing moves by itself; `resume` of the walk takes it up again. */
  isHeld?(subject: Subject): boolean
  /** Called after the state was entered; changes the resource and emits. */
  entered(subject: Subject, to: State): void
}
