import type { Remembered } from '@pawl/base/system-notes'

/** Progress of one handler on one resource. */
export interface HandlerState {
  handledEventId: number
  /** Version of the snapshot of its last success; absent after that snapshot's retention. */
  baseline?: number | undefined
  /** Versions of the snapshots it has failed with since, newest last: other systems may have been told any of them. */
  tried: readonly number[]
}

/** Connectors' memories of a resource, by system and role. */
export type MemoryBySystem = ReadonlyMap<string, ReadonlyMap<string, Remembered>>

/** The document of one row of `states`, beside its snapshot. */
export interface StateDocument {
  handlers: Map<string, HandlerState>
  /** Connectors' memories, by system and role. */
  memory: Map<string, Map<string, Remembered>>
}

/** The document as stored: short keys, since every release writes it. */
interface Stored {
  handlers?: Record<string, { at: number; baseline?: number; tried?: number[] }>
  memory?: Record<string, Record<string, Remembered>>
}

export const emptyDocument = (): StateDocument => ({ handlers: new Map(), memory: new Map() })

/** Reads a stored document; `null`: the resource has none yet. */
export function readStateDocument(stored: string | null): StateDocument {
  if (stored === null) return emptyDocument()
  // Written by `writeStateDocument`.
  const { handlers = {}, memory = {} } = JSON.parse(stored) as Stored
  return {
    handlers: new Map(
      Object.entries(handlers).map(([name, { at, baseline, tried = [] }]) => [
        name,
        { handledEventId: at, baseline, tried },
      ]),
    ),
    memory: new Map(Object.entries(memory).map(([system, roles]) => [system, new Map(Object.entries(roles))])),
  }
}

export function writeStateDocument({ handlers, memory }: StateDocument): string {
  // `fromEntries` makes own properties of any name; values that are undefined are left out.
  return JSON.stringify({
    ...(handlers.size > 0 && {
      handlers: Object.fromEntries(
        [...handlers].map(([name, { handledEventId: at, baseline, tried }]) => [
          name,
          { at, baseline, ...(tried.length > 0 && { tried }) },
        ]),
      ),
    }),
    ...(memory.size > 0 && {
      memory: Object.fromEntries([...memory].map(([system, roles]) => [system, Object.fromEntries(roles)])),
    }),
  })
}

/** Versions of the snapshots that its handlers still compare with. */
export function versionsIn({ handlers }: StateDocument): ReadonlySet<number> {
  return new Set(
    [...handlers.values()].flatMap(({ baseline, tried }) => (baseline === undefined ? tried : [baseline, ...tried])),
  )
}

/** Whether a handler compares with another snapshot than this one. */
export function refersToEarlier({ handlers }: StateDocument, version: number): boolean {
  for (const { baseline, tried } of handlers.values())
    if ((baseline !== undefined && baseline !== version) || tried.some((each) => each !== version)) return true
  return false
}

/** Forgets the snapshots named by `isGone`, and with any of them all that the handler tried. */
export function forgetVersions({ handlers }: StateDocument, isGone: (version: number) => boolean): void {
  for (const [name, { handledEventId, baseline, tried }] of handlers) {
    const isLost = baseline !== undefined && isGone(baseline)
    if (!isLost && !tried.some(isGone)) continue
    handlers.set(name, { handledEventId, baseline: isLost ? undefined : baseline, tried: [] })
  }
}

/** Adds a connector's memory, or removes it. */
export function remember(
  { memory }: StateDocument,
  { system, role }: { system: string; role: string },
  remembered: Remembered | undefined,
): void {
  const roles = memory.get(system) ?? new Map<string, Remembered>()
  if (remembered === undefined) {
    roles.delete(role)
    if (roles.size === 0) memory.delete(system)
    return
  }
  // Picked, since a connector's object may have more fields.
  const { id, version, digest } = remembered
  memory.set(system, roles.set(role, { id, version, digest }))
}
