import { createHash } from 'node:crypto'

/** Stands for a resource as a handler got it. */
export function digestOf(resource: unknown): string {
  return createHash('sha1').update(textOf(resource)).digest('hex').slice(0, 12)
}

/** File URLs are signed anew on each GET. */
export function textOf(value: unknown): string {
  return (JSON.stringify(value) ?? '').replaceAll(/\?[^"]*"/g, '"')
}
