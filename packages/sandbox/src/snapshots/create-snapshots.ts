import type { Clock } from '@pawl/base/clock'
import type { Archive } from '../platform/archive.ts'
import type { Part } from '../platform/part.ts'
import { codedRefusal } from '../platform/refusal.ts'
import type { SandboxClock } from '../platform/sandbox-clock.ts'

/** Raise it when a part saves another form. */
const version = 1

export interface SnapshotEntry {
  name: string
  /** Wall-clock time, ISO 8601. */
  savedAt: string
  /** Sandbox time, ISO 8601. */
  now: string
  cases: number
}

interface Snapshot extends SnapshotEntry {
  version: number
  /** By part. */
  state: Record<string, unknown>
}

/** States of the whole sandbox by name: in the data file, or in memory without one. */
export interface Snapshots {
  /** Throws `Refusal` 409 if the name is taken, unless `replace` is set. */
  save(name: string, replace?: boolean): SnapshotEntry
  /** Puts the sandbox back to the snapshot. Throws `Refusal` 404, or 409 for a snapshot of another version. */
  load(name: string): SnapshotEntry
  /** Throws `Refusal` 404. */
  remove(name: string): void
  /** By name. */
  list(): SnapshotEntry[]
}

/** Starts with the archived snapshots. */
export function createSnapshots(deps: {
  archive: Archive
  clock: Pick<SandboxClock, 'iso'>
  wallClock: Clock
  countCases: () => number
  /** In the order in which they are restored. */
  parts: Record<string, Part<unknown>>
}): Snapshots {
  const { archive, clock, wallClock, countCases, parts } = deps
  // The compiler cannot see that only `save` writes snapshots.
  const kept = new Map(archive.list('snapshot').map(({ id, value }) => [id, value as Snapshot]))

  function get(name: string): Snapshot {
    const snapshot = kept.get(name)
    if (snapshot !== undefined) return snapshot
    throw codedRefusal(404, {
      title: 'Unknown snapshot',
      description: `There is no snapshot ${name}; there are: ${[...kept.keys()].toSorted().join(', ') || 'none'}.`,
      code: 'unknown_snapshot',
    })
  }

  return {
    save: (name, replace = false) => {
      if (kept.has(name) && !replace)
        throw codedRefusal(409, {
          title: 'Name taken',
          description: `There is a snapshot ${name} already; choose another name, remove it, or replace it.`,
          code: 'snapshot_exists',
        })
      const state = Object.fromEntries(Object.entries(parts).map(([part, { save }]) => [part, save()]))
      const entry = {
        name,
        savedAt: new Date(wallClock.now()).toISOString(),
        now: clock.iso(),
        cases: countCases(),
      }
      // The compiler cannot see that parts save JSON.
      const snapshot = JSON.parse(JSON.stringify({ ...entry, version, state })) as Snapshot
      kept.set(name, snapshot)
      archive.put('snapshot', name, snapshot)
      return entry
    },
    load: (name) => {
      const snapshot = get(name)
      if (snapshot.version !== version)
        throw codedRefusal(409, {
          title: 'Another version',
          description: `Another version of the sandbox saved ${name}; remove it, and save it anew.`,
          code: 'snapshot_of_other_version',
        })
      const state = structuredClone(snapshot.state)
      for (const [part, { restore }] of Object.entries(parts)) restore(state[part])
      return entryOf(snapshot)
    },
    remove: (name) => {
      get(name)
      kept.delete(name)
      archive.remove('snapshot', name)
    },
    list: () => [...kept.values()].map(entryOf).toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  }
}

const entryOf = ({ name, savedAt, now, cases }: Snapshot): SnapshotEntry => ({ name, savedAt, now, cases })
