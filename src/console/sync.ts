import type { RequestHandler, Response } from 'express'
import { z } from 'zod'
import { PawlError } from '../errors.ts'

export interface SyncDeps {
  /** Makes resources due, known or not, by their names; resolves with their number. Throws PawlError for names that cannot be. */
  sync: (names: readonly string[]) => Promise<number>
}

/** Resources named at once. */
export const namedLimit = 1_000

/** The names of resources to sync. */
export const Named = z.strictObject({ resources: z.array(z.string().min(1)).min(1).max(namedLimit) })

/** POST /api/sync: has handlers look at resources at once, also out of a wait. */
export function createSyncNow(deps: SyncDeps): RequestHandler {
  return async (req, res) => {
    const asked = Named.safeParse(req.body)
    if (asked.success) return syncNow(asked.data.resources, deps, res)
    const message = `Send a JSON object with resources, up to ${namedLimit} ids.`
    res.status(400).json({ error: { code: 'bad_request', message } })
  }
}

/** Answers with the number of resources, or with why they cannot be synced. */
export async function syncNow(names: readonly string[], { sync }: SyncDeps, res: Response): Promise<void> {
  try {
    res.json({ resources: await sync(names) })
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    res.status(400).json({ error: { code: error.code, message: error.message } })
  }
}
