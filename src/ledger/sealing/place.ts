import type { ResourceKind } from '../../service/schemas/kinds.ts'

/** Where sealed bytes stand: their row and column. What is sealed for one place opens at no other. */
export type Place = string & { readonly place: unique symbol }

type Bytes = Uint8Array

const place = (...parts: readonly string[]) => JSON.stringify(parts) as Place // only here is one made

/** The places at which the ledger keeps sealed bytes. A baseline is a snapshot that was, and stands for one. */
export const placeOf = {
  body: (resourceId: string, fingerprint: Bytes) => place('body', resourceId, Buffer.from(fingerprint).toString('hex')),
  snapshot: (resourceId: string) => place('snapshot', resourceId),
  tried: (resourceId: string, handler: string) => place('tried', resourceId, handler),
  /** Of the report: such a row changes its id, but never when its resource was first heard of. */
  groups: (kind: ResourceKind, heardAt: number) => place('groups', kind, String(heardAt)),
  drift: (digest: string) => place('drift', digest),
  digestKey: () => place('digest key'),
  effect: (resourceId: string, handler: string, key: string) => place('effect', resourceId, handler, key),
}

/** The table and column of a place, and which row it is, for people. */
export function describePlace(place: Place): string {
  // Only `place` made it.
  const [kind, id = '', detail = ''] = JSON.parse(place) as readonly string[]
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
