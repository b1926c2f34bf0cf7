import type { ResourceKind } from '../../service/schemas/kinds.ts'

/** Where sealed bytes stand: their row and column. What is sealed for one place opens at no other. */
export type SealContext = string & { readonly context: unique symbol }

type Bytes = Uint8Array

const context = (...parts: readonly string[]) => JSON.stringify(parts) as SealContext // only here is one made

/** The places at which the ledger keeps sealed bytes. A baseline is a snapshot that was, and stands for one. */
export const sealContext = {
  body: (resourceId: string, fingerprint: Bytes) =>
    context('body', resourceId, Buffer.from(fingerprint).toString('hex')),
  snapshot: (resourceId: string) => context('snapshot', resourceId),
  tried: (resourceId: string, handler: string) => context('tried', resourceId, handler),
  /** Of the report: such a row changes its id, but never when its resource was first heard of. */
  groups: (kind: ResourceKind, heardAt: number) => context('groups', kind, String(heardAt)),
  drift: (digest: string) => context('drift', digest),
  digestKey: () => context('digest key'),
  effect: (resourceId: string, handler: string, key: string) => context('effect', resourceId, handler, key),
}

/** The table and column of a place, and which row it is, for people. */
export function describeContext(context: SealContext): string {
  // Only `place` made it.
  const [kind, id = '', detail = ''] = JSON.parse(context) as readonly string[]
  const row = id === '' ? 'an event of no resource' : id
  switch (kind) {
    case 'body':
      return `events.body of ${row} (fingerprint ${detail.slice(0, 8)})`
    case 'snapshot':
      return `resources.snapshot or progress.baseline of ${row}`
    case 'tried':
      return `progress.tried of ${row} (${detail})`
    case 'effect':
      return `effects.value of ${row} (${detail})`
    case 'drift':
      return `drift.what of the row ${id}`
    case 'digest key':
      return 'digest_key.stored'
    default:
      return `outcomes.groups of the ${id} first heard of at ${detail}`
  }
}
