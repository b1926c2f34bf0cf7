import type { DriftKind, Unknown } from '../schemas/drift.ts'

/** A name or code unknown to pawl, and the resource that carried it; the id is empty if there is none. */
export interface Sighting extends Unknown {
  resourceId: string
}

/** A name or code unknown to pawl, with its first sighting by this process. */
export interface Drift extends Sighting {
  firstAt: number
}

/** Records names and codes unknown to pawl, for information only. */
export type NoteDrift = (sightings: readonly Sighting[]) => void

/** The path of an unknown name or code, as far as it is documented. The service chooses the rest freely, so logs leave it out. */
export function placeOf({ kind, name }: Unknown): string {
  if (kind === 'status' || kind === 'code' || kind === 'event_type') return name
  return kind === 'field' ? name.slice(0, name.lastIndexOf('.')) : kind
}

interface DriftSeenDeps {
  now: () => number
  /** Counts one sighting. */
  count: (kind: DriftKind) => void
  /** Called once for each name or code. */
  onNew: (sighting: Sighting) => void
}

/** Max distinct names and codes remembered: a sender who makes up names can fill neither memory nor log. */
const maxKnown = 1_000
/** Max names and codes listed. */
const maxListed = 100

/** Collects names and codes unknown to pawl. Counts every sighting, and reports and lists each name or code once, newest first. */
export function createDriftSeen({ now, count, onNew }: DriftSeenDeps): {
  note: NoteDrift
  list: () => readonly Drift[]
} {
  const known = new Set<string>()
  let newest: readonly Drift[] = []

  function meet(sighting: Sighting): void {
    const { kind, name, value } = sighting
    count(kind)
    const key = JSON.stringify([kind, name, value])
    if (known.has(key) || known.size >= maxKnown) return
    known.add(key)
    newest = [{ ...sighting, firstAt: now() }, ...newest].slice(0, maxListed)
    onNew(sighting)
  }

  return { note: (sightings) => sightings.forEach(meet), list: () => newest }
}
