import { createHash } from 'node:crypto'

/** Version of something shown, which changes with its JSON. */
export function stampOf(shown: unknown): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url')
}
