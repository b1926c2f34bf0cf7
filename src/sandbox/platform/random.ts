/** The only source of chance, from one seed. */
export interface Random {
  /** A number in [0, 1). */
  next(): number
  /** True with the given chance, 0 to 1. */
  chance(probability: number): boolean
  /** A number between the two, both in the same unit. */
  between(low: number, high: number): number
  pick<T>(items: readonly [T, ...T[]]): T
  /** `length` lower-case letters and digits. */
  letters(length: number): string
  digits(length: number): string
  /** A source that depends only on the seed and the label, not on earlier draws: the same label always draws the same. */
  fork(label: string): Random
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Creates a source from any integer (sfc32, seeded through a multiplicative hash). Another `start` draws differently, while its forks draw the same. */
export function createRandom(seed: number, label = '', start = 0): Random {
  const next = generator(hash(`${seed}:${label}${start === 0 ? '' : `:start ${start}`}`))
  const below = (limit: number) => Math.floor(next() * limit)
  const spell = (from: string, length: number) => Array.from({ length }, () => from.charAt(below(from.length))).join('')
  return {
    next,
    chance: (probability) => next() < probability,
    between: (low, high) => low + next() * (high - low),
    // The compiler cannot see that the index is inside the list.
    pick: <T>(items: readonly [T, ...T[]]) => items[below(items.length)] as T,
    letters: (length) => spell(alphabet, length),
    digits: (length) => spell('0123456789', length),
    fork: (inner) => createRandom(seed, `${label}/${inner}`),
  }
}

function hash(text: string): number {
  let state = 0x811c9dc5
  for (let index = 0; index < text.length; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193)
  return state >>> 0
}

function generator(seed: number): () => number {
  let a = seed
  let b = Math.imul(seed, 0x9e3779b9)
  let c = seed ^ 0x85ebca6b
  let counter = 1
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return (sum >>> 0) / 4294967296
  }
  // The first values of neighbouring seeds resemble each other.
  for (let round = 0; round < 12; round++) next()
  return next
}
