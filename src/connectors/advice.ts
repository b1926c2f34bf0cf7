import type { Retry } from '../base/errors.ts'

/** What the reader of a write failure should do, by its verdict. */
export function adviceFor(retry: Retry): string {
  return retry === 'never'
    ? 'Correct the settings or the mapping, then retry the parked work.'
    : 'It is tried again by itself.'
}
