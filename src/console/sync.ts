import type { Request, Response } from 'express'
import { z } from 'zod'
import { PawlError } from '../base/errors.ts'
import { readActor } from './actor.ts'
import type { Act } from '../ledger/audit/audit-entry.ts'
import type { AuditTrail } from '../ledger/audit/create-audit-trail.ts'

export interface SyncDeps {
  /** Makes resources due, known or not, by their names; resolves with their number. Throws PawlError for names that cannot be. */
  sync: (names: readonly string[], act: Act) => Promise<number>
  audit: AuditTrail['audit']
}

/** Resources named at once. */
export const namedLimit = 1_000

/** The names of resources to sync. */
export const Named = z.strictObject({ resources: z.array(z.string().min(1)).min(1).max(namedLimit) })

/** POST /api/sync, and /api/reconcile with resources: has handlers look at these at once, also out of a wait. */
export function createSyncNow({ sync, audit }: SyncDeps) {
  return async (req: Request, res: Response): Promise<void> => {
    const asked = Named.safeParse(req.body)
    if (!asked.success) {
      const message = `Send a JSON object with resources, up to ${namedLimit} ids.`
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { resources } = asked.data
    const actor = readActor(req)
    try {
      const count = await sync(resources, { actor })
      await audit({ actor, action: 'resource.reconcile', details: { resources, count } })
      res.json({ resources: count })
    } catch (error) {
      if (!(error instanceof PawlError)) throw error
      res.status(400).json({ error: { code: error.code, message: error.message } })
    }
  }
}
