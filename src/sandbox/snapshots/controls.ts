import { Router } from 'express'
import { z } from 'zod'
import { success } from '../platform/answer.ts'
import type { ControlTexts } from '../platform/control-texts.ts'
import { readControl } from '../platform/read-control.ts'
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

export function snapshotControlRoutes(controls: SnapshotControls): Router {
  const router = Router()

  router.get('/snapshots', (_req, res) => {
    res.json(success(controls.listSnapshots()))
  })

  router.post('/snapshots', (req, res) => {
    const { name, replace } = readControl(SaveRequest, req.body)
    res.json(success(controls.saveSnapshot(name, replace)))
  })

  router.post('/snapshots/:name/load', (req, res) => {
    res.json(success(controls.loadSnapshot(req.params.name)))
  })

  router.delete('/snapshots/:name', (req, res) => {
    controls.removeSnapshot(req.params.name)
    res.json({ status: 'success' })
  })

  return router
}

export const snapshotControlTexts: ControlTexts = {
  'GET /snapshots': { summary: 'List the snapshots' },
  'POST /snapshots': { summary: 'Save the whole state by a name', body: SaveRequest },
  'POST /snapshots/:name/load': { summary: 'Put the sandbox back to a snapshot' },
  'DELETE /snapshots/:name': { summary: 'Remove a snapshot' },
}
