import type { ResourceKind } from 'pawl-client/schemas/kinds'

/** Row and column of sealed bytes, bound as associated data: bytes sealed in one context open in no other. */
export type SealContext = string & { readonly context: unique symbol }

type Bytes = Uint8Array

const context = (...parts: readonly string[]) => JSON.stringify(parts) as SealContext // only here is one made

/** The contexts of all sealed values. */
export const sealContext = {
  body: (resourceId: string, fingerprint: Bytes) =>
    context('body', resourceId, Buffer.from(fingerprint).toString('hex')),
  snapshot: (resourceId: string) => context('snapshot', resourceId),
  identity: (resourceId: string) => context('identity', resourceId),
  /** A row of the report: its resource id changes, but never its `heardAt`. */
  groups: (kind: ResourceKind, heardAt: number) => context('groups', kind, String(heardAt)),
  digestKey: () => context('digest key'),
  notice: (noticeId: string) => context('notice', noticeId),
  effect: (resourceId: string, handler: string, key: string) => context('effect', resourceId, handler, key),
}

/** Names the table, column and row of a context, for people. */
export function describeContext(context: SealContext): string {
  // Made by `context` only.
  const [kind, id = '', detail = ''] = JSON.parse(context) as readonly string[]
  const row = id === '' ? 'an event of no resource' : id
  switch (kind) {
    case 'body':
      return `events.body of ${row} (fingerprint ${detail.slice(0, 8)})`
    case 'snapshot':
      return `states.snapshot of ${row}`
    case 'identity':
      return `states.identity of ${row}`
    case 'effect':
      return `effects.value of ${row} (${detail})`
    case 'notice':
      return `feed.body of ${row}`
    case 'digest key':
      return 'digest_key.stored'
    default:
      return `outcomes.groups of the ${id} first heard of at ${detail}`
  }
}
