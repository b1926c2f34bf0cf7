import { createHash } from 'node:crypto'

/** A version of shown data, which changes with its JSON. */
export function stampOf(shown: unknown): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url')
}
