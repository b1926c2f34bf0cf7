import { ConfigInvalid } from '@pawl/base/errors'
import type { Log } from '@pawl/base/log'
import type { Intake } from '@pawl/ledger/hot/accept'
import type { OwnChanges } from '@pawl/ledger/hot/own-changes'
import type { BudgetStore } from 'pawl-client/api/budget-store'
import { type Api, type ApiOptions, createApi } from 'pawl-client/api/client'
import type { NoteDrift } from 'pawl-client/events/drift-seen'
import { shownCode } from 'pawl-client/schemas/drift'
import type { Config } from '../settings/read-config.ts'
import { ownEvent } from './own-event.ts'

export interface FollowedApiDeps {
  /** Undefined without API_BASE_URL. */
  settings: Config['api']
  /** Shares the rate budget with other processes. */
  budgetStore: BudgetStore | undefined
  ledger: Pick<Intake, 'accept'> & OwnChanges
  noteDrift: NoteDrift
  enqueue: (resourceId: string) => void
  onRequest: NonNullable<ApiOptions['onRequest']>
  log: Log
}

/** Makes the service's client, which records its own creates and changes in the ledger. Throws `ConfigInvalid`. */
export function createFollowedApi({
  settings,
  budgetStore,
  ledger,
  noteDrift,
  enqueue,
  onRequest,
  log,
}: FollowedApiDeps): Api {
  if (settings === undefined)
    throw new ConfigInvalid('Set API_BASE_URL and API_TOKEN: a worker reads resources from the service.')
  return createApi({
    ...settings,
    ...(budgetStore && { budgetStore }),
    onRequest(request) {
      onRequest(request)
      const { undocumented } = request
      if (undocumented !== undefined)
        noteDrift([
          {
            kind: 'code',
            name: 'error.code',
            value: shownCode(undocumented.code),
            resourceId: undocumented.resourceId ?? '',
          },
        ])
    },
    // Resources that pawl creates are followed from the start, even without a webhook (docs/design.md, rule 9).
    async onCreated(kind, id) {
      try {
        await ledger.accept(ownEvent({ resourceId: id, kind, source: 'api', title: 'Created by pawl' }))
        enqueue(id)
      } catch (error) {
        log.error({ resource_id: id, error }, 'created, but not recorded: only a webhook will announce it')
      }
    },
    // Recorded in the ledger, since another process may handle the event that follows.
    async onChange({ id, name, value }) {
      const change = { name, ...(value !== undefined && { value }) }
      try {
        const isNew = await ledger.noteOwnChange(id, change)
        return isNew ? () => ledger.forgetOwnChange(id, change) : undefined
      } catch (error) {
        log.warn({ resource_id: id, error }, 'own change not recorded: its event will not be marked as own')
        return undefined
      }
    },
  })
}
