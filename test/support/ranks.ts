/** The place of each number among those given, from 1; equal numbers share one. */
export const ranksOf = (numbers: readonly number[]): number[] =>
  numbers.map((number) => 1 + new Set(numbers.filter((each) => each < number)).size)
