import type { Retry } from '@pawl/base/errors'

/** Tells the operator how to resolve a write failure, by its verdict. */
export function adviceFor(retry: Retry): string {
  return retry === 'never'
    ? 'Correct the settings or the mapping, then retry the parked work.'
    : 'pawl retries it while it has attempts left.'
}
