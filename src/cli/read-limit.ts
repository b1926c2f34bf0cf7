import { InvalidArgumentError } from 'commander'

/** Reads a number of things to list. Throws `InvalidArgumentError`. */
export function readLimit(text: string): number {
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) throw new InvalidArgumentError('It is from 1 to 1000.')
  return limit
}
