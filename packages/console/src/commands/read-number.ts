import { InvalidArgumentError } from 'commander'

/** Reads a whole number of an option. Throws `InvalidArgumentError`. */
export const readNumber =
  (min = 0, max = 999_999_999) =>
  (text: string): number => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= min && number <= max) return number
    throw new InvalidArgumentError(`It is a whole number from ${min} to ${max}.`)
  }

/** Reads a number of things to list. */
export const readLimit = readNumber(1, 1_000)
