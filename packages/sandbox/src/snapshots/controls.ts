import { z } from 'zod'
import { control, type Control } from '../platform/control.ts'
import type { SnapshotEntry, Snapshots } from './create-snapshots.ts'

/** Controls over the snapshots. */
export interface SnapshotControls {
  /** Throws `Refusal` 409 if the name is taken, unless `replace` is set. */
  saveSnapshot(name: string, replace?: boolean): SnapshotEntry
  /** Puts resources, schedule, clock, deliveries, organizations, failures, limits, chaos and chance back; the request log stays. Throws `Refusal` 404, or 409 for a snapshot of another version. */
  loadSnapshot(name: string): SnapshotEntry
  /** Throws `Refusal` 404. */
  removeSnapshot(name: string): void
  listSnapshots(): SnapshotEntry[]
}

export function snapshotControls({ save, load, remove, list }: Snapshots): SnapshotControls {
  return { saveSnapshot: save, loadSnapshot: load, removeSnapshot: remove, listSnapshots: list }
}

/** A name that needs no quotes in a shell and no escapes in a path. */
export const snapshotName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i, 'must be 1 to 64 letters, digits, dots, dashes or underscores')

const SaveRequest = z.strictObject({ name: snapshotName, replace: z.boolean().optional() })

export const snapshotControlRoutes = (controls: SnapshotControls): Control[] => [
  control('GET /snapshots', { summary: 'List the snapshots' }, () => controls.listSnapshots()),
  control('POST /snapshots', { summary: 'Save the whole state by a name', body: SaveRequest }, ({ body }) =>
    controls.saveSnapshot(body.name, body.replace),
  ),
  control('POST /snapshots/:name/load', { summary: 'Put the sandbox back to a snapshot' }, ({ name }) =>
    controls.loadSnapshot(name),
  ),
  control('DELETE /snapshots/:name', { summary: 'Remove a snapshot' }, ({ name }) => {
    controls.removeSnapshot(name)
  }),
]
