import { createHash } from 'node:crypto'

/** The sandbox's only source of randomness, from one seed. */
export interface Random {
  /** A number in [0, 1). */
  next(): number
  /** True with the given probability, 0 to 1. */
  chance(probability: number): boolean
  /** A number between the two. */
  between(low: number, high: number): number
  pick<T>(items: readonly [T, ...T[]]): T
  /** 25 lower-case letters and digits: 129 bits, so ids do not repeat. */
  id(): string
  /** `length` lower-case letters and digits. */
  letters(length: number): string
  digits(length: number): string
  /** A source that depends only on the seed and the label, not on earlier draws. */
  fork(label: string): Random
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Creates a source from any integer (sfc32, with 128 bits of state from a SHA-256). `start` changes its own draws, not those of its forks. `tag` ends its letters and those of its forks; tags of one length leave all draws alike. */
export function createRandom(seed: number, { label = '', start = 0, tag = '' } = {}): Random {
  const next = generator(`${seed}:${label}${start === 0 ? '' : `:start ${start}`}`)
  const below = (limit: number) => Math.floor(next() * limit)
  const spell = (from: string, length: number) => Array.from({ length }, () => from.charAt(below(from.length))).join('')
  return {
    next,
    chance: (probability) => next() < probability,
    between: (low, high) => low + next() * (high - low),
    // The compiler cannot see that the index is inside the list.
    pick: <T>(items: readonly [T, ...T[]]) => items[below(items.length)] as T,
    id: () => spell(alphabet, 25),
    letters: (length) => `${spell(alphabet, length - tag.length)}${tag}`,
    digits: (length) => spell('0123456789', length),
    // An inner label may name an id.
    fork: (inner) => createRandom(seed, { label: `${label}/${tag === '' ? inner : inner.replaceAll(tag, '')}`, tag }),
  }
}

function generator(text: string) {
  const state = createHash('sha256').update(text).digest()
  let a = state.readInt32LE(0)
  let b = state.readInt32LE(4)
  let c = state.readInt32LE(8)
  let counter = state.readInt32LE(12)
  return () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return (sum >>> 0) / 4294967296
  }
}
