import { PawlError } from '@pawl/base/errors'
import type { Act, Actor } from '@pawl/ledger/audit/audit-entry'
import type { Log } from '@pawl/base/log'
import type { Ledger } from '@pawl/ledger/ledger'
import { RequestRefused } from './serve.ts'

export interface SyncDeps {
  /** Makes resources due, known or not, by id; resolves with their number. Throws PawlError for impossible ids. */
  sync: (names: readonly string[], act: Act) => Promise<number>
  /** Polls due resources now, if this process is a worker. */
  poll: () => void
  ledger: Pick<Ledger, 'audit' | 'pollSoon' | 'cancelPolls'>
  log: Log
}

/** The resources to sync, and whether no other is missing. */
export interface SyncOrder {
  resources: readonly string[]
  complete: boolean
}

/** Reads resources from the service again, for the API and the pages. */
export interface Syncing {
  /** Syncs these resources at once, known or not; resolves with their number. `complete` records that pawl missed no other resource. Throws `RequestRefused` for impossible ids. */
  sync(this: void, order: SyncOrder, actor: Actor): Promise<number>
  /** Polls all resources that may have changed since then; resolves with their number. */
  reconcile(this: void, since: number, actor: Actor): Promise<number>
  /** Returns resources not polled yet to their usual poll time; resolves with their number. */
  cancel(this: void, actor: Actor): Promise<number>
}

export function createSyncing({ sync, poll, ledger, log }: SyncDeps): Syncing {
  return {
    async sync({ resources, complete }, actor) {
      const note = (named: readonly string[], count: number) =>
        ledger.audit({ actor, action: 'resource.reconcile', details: { resources: [...named], count } })
      try {
        const count = resources.length === 0 ? 0 : await sync(resources, { actor })
        if (count > 0) await note(resources, count)
        if (complete) await note([], 0)
        return count
      } catch (error) {
        throw error instanceof PawlError ? new RequestRefused(error.code, error.message, 400) : error
      }
    },
    async reconcile(since, actor) {
      await ledger.audit({ actor, action: 'resource.reconcile', details: { since: new Date(since).toISOString() } })
      const count = await ledger.pollSoon(since)
      poll()
      log.info({ count }, 'reconciling')
      return count
    },
    async cancel(actor) {
      await ledger.audit({ actor, action: 'reconcile.cancel' })
      const count = await ledger.cancelPolls()
      log.info({ count }, 'reconcile cancelled')
      return count
    },
  }
}
