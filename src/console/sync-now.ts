import { Router } from 'express'
import { PawlError } from '../base/errors.ts'
import type { Act, Actor } from '../ledger/audit/audit-entry.ts'
import type { Log } from '../base/log.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { contract } from './contract/contract.ts'
import { refusal, RequestRefused, serve } from './serve.ts'

export interface SyncDeps {
  /** Makes resources due, known or not, by id; resolves with their number. Throws PawlError for impossible ids. */
  sync: (names: readonly string[], act: Act) => Promise<number>
  /** Polls due resources now, if this process is a worker. */
  poll: () => void
  ledger: Pick<Ledger, 'audit' | 'pollSoon'>
  log: Log
}

/** Routes that sync resources at once, skipping any backoff, and that poll all resources that may have changed since a moment. */
export function createSyncRoutes({ sync, poll, ledger, log }: SyncDeps): Router {
  async function syncNow({ resources }: { resources: string[] }, actor: Actor) {
    try {
      const count = await sync(resources, { actor })
      await ledger.audit({ actor, action: 'resource.reconcile', details: { resources, count } })
      return { resources: count }
    } catch (error) {
      throw error instanceof PawlError ? new RequestRefused(error.code, error.message, 400) : error
    }
  }

  const router = Router()
  serve(router, contract.sync, ({ body, actor }) => syncNow(body, actor))
  serve(router, contract.reconcile, async ({ body, actor }) => {
    if ('resources' in body) return syncNow(body, actor)
    const since = Date.parse(body.since)
    if (since > Date.now()) throw refusal('bad_request', 'since is in the future: send a moment in the past.')
    await ledger.audit({ actor, action: 'resource.reconcile', details: { since: body.since } })
    const count = await ledger.pollSoon(since)
    poll()
    log.info({ count }, 'reconciling')
    return { resources: count }
  })
  return router
}
