import type { Memory } from '@pawl/connector/system'
import type { StoredByType, StoredType } from './chart-types.ts'
import { toInstant } from '../primitives.ts'
import type { NamedIdentifier } from './mapping/references.ts'
import type { Rest } from './owned.ts'

/** A record's entry in memory. */
export type Remembered = NonNullable<Awaited<ReturnType<Memory['read']>>>

/** The id of a resource that is known to be absent from the chart. */
const absent = '-'
/** Begins the id of a create whose answer was lost or held no id: `?<content mark>?<id of the earlier version>`, each part possibly empty. */
const lost = '?'

/** Maps the chart's current resource to the wanted one, or to its promise; undefined to write nothing. */
export type MapResource<T extends StoredType> = (
  held: StoredByType[T] | undefined,
) => StoredByType[T] | undefined | Promise<StoredByType[T] | undefined>

/** The remembered state of a target. */
export interface Memo {
  /** The chart's id; of the earlier version, if the last one was lost. */
  id: string | undefined
  isLost: boolean
  /** Content mark of a lost create, if its content is unique. */
  mark: string | undefined
  version: string | undefined
  /** Of the mapping last written, computed as if the chart had no earlier resource. */
  digest: string | undefined
  /** Of the remembered version. */
  rest: Rest
  /** Digest of the part that every chart keeps (`shownDigest`), as last written. */
  shown: string | undefined
  /** The chart has none. */
  isAbsent: boolean
  /** The staff task has ended. */
  isEnded: boolean
}

/** Reads a note that the chart store wrote. */
export function toMemo(remembered: Remembered | undefined): Memo | undefined {
  if (remembered === undefined) return undefined
  const { id: kept, version } = remembered
  const [first, mark = '', before = ''] = kept.split(lost)
  const isLost = kept.startsWith(lost)
  const isAbsent = kept === absent
  const id = isLost ? before : isAbsent ? undefined : first
  const [digest = '', word, shown] = remembered.digest?.split(' ') ?? []
  return {
    id: id || undefined,
    isLost,
    mark: mark || undefined,
    version,
    digest: digest || undefined,
    rest: toRest(word),
    shown,
    isAbsent,
    isEnded: word === ended,
  }
}

const ended = 'ended'

function toRest(word: string | undefined): Rest {
  if (word === 'others') return word
  const since = toInstant(word)
  return since === undefined ? 'unknown' : { since }
}

/** A note of a resource as it was written or found, with the digests of its mapping and of the part that every chart keeps. */
export function noteOf(
  found: { id: string; version: string | undefined },
  { digest, rest, shown }: { digest: string; rest: Rest; shown: string },
): Remembered {
  const word = typeof rest === 'object' ? rest.since : rest
  return { ...found, digest: `${digest} ${word} ${shown}` }
}

/** A note that the chart has no such resource. */
export const noteAbsent: Remembered = { id: absent }

/** A note that the staff task has ended. */
export function noteEnded(id: string, version: string | undefined): Remembered {
  return { id, version, digest: ` ${ended}` }
}

/** A note that a change of the resource was sent without an answer yet. */
export function noteInDoubt(id: string): Remembered {
  return { id }
}

/** The id of a create without an answer. */
export function lostId(mark: string | undefined, before: string | undefined): string {
  return [lost, mark ?? '', lost, before ?? ''].join('')
}

/** Whether the chart assigned the id. */
export function isOfChart(id: string): boolean {
  return !id.startsWith(lost) && id !== absent
}

/** The role under which a target is remembered; memory is already per resource of the service. */
export function roleOf({ type, identifier }: { type: StoredType; identifier: NamedIdentifier }): string {
  return `${type} ${identifier.system.split('/').at(-1) ?? ''}/${identifier.value}`
}
