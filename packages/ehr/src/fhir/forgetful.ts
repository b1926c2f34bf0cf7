import type { Memory } from '@pawl/connector/system'

const memory: Memory = {
  read: () => Promise.resolve(undefined),
  write: () => Promise.resolve(),
  forget: () => Promise.resolve(),
  share: () => Promise.resolve(),
  note() {},
}

/** A memory that stores nothing, for checks. */
export const forgetful = { digest: (text: string) => text, memory }
