import { createHash } from 'node:crypto'
import type { Account } from '@pawl/ledger/audit/audit-entry'

/** Names that pawl itself uses in the trail. */
const own = ['pawl', 'unnamed', 'unknown']

/**
 * A name that a provider or a proxy states, in small letters; undefined unless it is 1 to 120 of the letters a to z, digits and `. _ @ + -`, with
 * a letter or digit at both ends: no spaces, controls, marks of direction or letters of other scripts, by which two names look alike.
 */
export function readPersonName(stated: unknown): string | undefined {
  return typeof stated === 'string' && /^[A-Za-z0-9](?:[A-Za-z0-9._@+-]{0,118}[A-Za-z0-9])?$/.test(stated)
    ? stated.toLowerCase()
    : undefined
}

/** The name of an account without a usable one: `#` starts no other name. */
export function nameOfAccount({ issuer, subject }: Account): string {
  const digest = createHash('sha256').update(JSON.stringify([issuer, subject]))
  return `#${digest.digest('hex').slice(0, 16)}`
}

/** Whether a name belongs to one of `ADMIN_USERS` or to pawl, so that no provider or proxy may state it. */
export function createReservedNames(users: readonly { name: string }[]): (name: string) => boolean {
  const reserved = new Set([...own, ...users.map(({ name }) => name.toLowerCase())])
  return (name) => reserved.has(name.toLowerCase())
}
