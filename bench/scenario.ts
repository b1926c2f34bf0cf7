import type { ReceiverSpec } from './contenders.ts'
import type { Needing } from './needs.ts'
import type { Stage } from './stage.ts'

/** Inputs of a scenario. */
export interface Bench {
  stage: Stage
  /** Those that were chosen and can take part here; says of each one that cannot why. */
  select<T extends Needing>(contenders: readonly T[]): Promise<T[]>
  rounds: number
  /** The first number in a real run, the second in a quick one. */
  pick(full: number, quick: number): number
  /** Prints the current step. */
  say(line: string): void
}

/** One contender with what each round measured of it, by the key of a column. */
export interface Row {
  contender: string
  rounds: Record<string, number>[]
}

export interface Column {
  key: string
  title: string
  /** Digits behind the point. Default 0. */
  digits?: number
}

/** Says how many times the figure of another contender each one reaches, as the median over the rounds. */
export interface Ratio {
  title: string
  key: string
  to: string
}

/** A target, compared with the measured value. */
export interface Target {
  wanted: string
  reached: string
  /** Absent: one of the two did not take part. */
  met?: boolean
}

export interface Outcome {
  /** The first is printed with its least and its most. */
  columns: readonly Column[]
  ratios?: readonly Ratio[]
  rows: readonly Row[]
  targets: readonly Target[]
  notes?: readonly string[]
}

/** One table of `npm run bench`. Its needs are what not one row of it does without. */
export interface Scenario extends Needing {
  title: string
  /** Receivers that `--contenders` chooses among. */
  contenders?: readonly ReceiverSpec[]
  run(bench: Bench): Promise<Outcome>
}
