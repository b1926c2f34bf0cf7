import type { ShownAlert } from '../alerts/alerts.ts'
import type { Pause } from '@pawl/ledger/hot/pause'
import type { Away } from '@pawl/ledger/hot/outages'
import type { Counts } from '@pawl/ledger/views/counts'
import type { NewestDelivery } from '@pawl/ledger/views/newest-delivery'
import type { WaitingCases, WorkGroup } from '@pawl/ledger/views/work-groups'
import type { DiskRoom } from '@pawl/ledger/upkeep/disk-room'
import type { WritesBlocked } from '@pawl/ledger/upkeep/watch-writes'

/** A pause, and who made it, if the trail still tells. */
export type PauseByPerson = Pause & { by?: string | undefined }

/** Since when and why the queue's server does not answer. */
export interface QueueOutage {
  forMs: number
  code: string
}

/** The facts that alerts, `pawl status` and the overview show. */
export interface Facts {
  counts: Pick<Counts, 'due' | 'waiting' | 'oldestDueMs'>
  away: readonly Away[]
  pauses: readonly PauseByPerson[]
  /** Whether the settings pause all work at each start. */
  isStartPausedSet?: boolean
  /** When a start last paused all work, within a day, and the newest delivery that the ledger had then: after a restored backup, mostly. */
  pausedStart?: { at: number; newestAt: number | undefined } | undefined
  /** The setting by which a system lets pawl in, by system. */
  credentials?: Readonly<Record<string, string>>
  /** The handlers of the integration. */
  handlerNames?: readonly string[] | undefined
  /** Failed work, by group. */
  groups: readonly WorkGroup[]
  waitingCases: readonly WaitingCases[]
  alerts: readonly ShownAlert[]
  /** Alerts that were over within a day, of deliveries that were refused or turned away: what they left to do may not be done. */
  pastAlerts?: readonly ShownAlert[] | undefined
  /** Room on the ledger's disk, and the path of a ledger in a file. */
  disk: DiskRoom | undefined
  ledgerPath?: string | undefined
  /** Why the ledger takes no writes now, if it takes none. */
  blocked?: WritesBlocked | undefined
  queueOutage: QueueOutage | undefined
  audit: 'whole' | 'altered'
  newest: NewestDelivery | undefined
  /** When the newest delivery was refused for its token; read only while an alert tells of refusals. */
  lastRefusedAt?: number | undefined
  /** Since any handler last ended a run; read only while an alert tells of work that is due. */
  lastRunAgoMs?: number | undefined
  /** When all was last asked for again, and since when; read likewise, and after a start that paused all work. */
  reconciled?: { at: number; since: number } | undefined
  /** When somebody last said that no new case is missing, and what was read by id; read likewise. */
  noneMissingAt?: number | undefined
  readById?: readonly { at: number; count: number }[] | undefined
  /** When the first of the deliveries was refused of which an alert tells. */
  firstRefusedAt?: number | undefined
  /** Since this process began. */
  runningMs?: number | undefined
  now: number
}
