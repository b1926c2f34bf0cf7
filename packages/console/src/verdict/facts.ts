import type { ShownAlert } from '../alerts/alerts.ts'
import type { Pause } from '@pawl/ledger/hot/pause'
import type { Away } from '@pawl/ledger/away'
import type { Counts } from '@pawl/ledger/views/counts'
import type { NewestDelivery } from '@pawl/ledger/views/newest-delivery'
import type { WaitingCases } from '@pawl/ledger/views/work-groups'
import type { WorkGroup } from '@pawl/ledger/views/work-group'
import type { DiskRoom } from '@pawl/ledger/upkeep/disk-room'
import type { WritesBlocked } from '@pawl/ledger/upkeep/watch-writes'

/** A pause, with the person who made it, if the trail still has the entry. */
export type PauseByPerson = Pause & { by?: string | undefined }

/** How long and why the queue's server has not answered. */
export interface QueueOutage {
  forMs: number
  code: string
}

/** The input of the verdict. */
export interface Facts {
  counts: Pick<Counts, 'due' | 'waiting' | 'oldestDueMs'>
  away: readonly Away[]
  pauses: readonly PauseByPerson[]
  /** Whether the settings pause all work at each start. */
  isStartPausedSet?: boolean
  /** When a start last paused all work, within a day, and the newest delivery in the ledger at that time; mostly after a restored backup. */
  pausedStart?: { at: number; newestAt: number | undefined } | undefined
  /** The setting that authenticates pawl, by system. */
  credentials?: Readonly<Record<string, string>>
  /** The handlers of the integration. */
  handlerNames?: readonly string[] | undefined
  /** Failed work, by group. */
  groups: readonly WorkGroup[]
  waitingCases: readonly WaitingCases[]
  alerts: readonly ShownAlert[]
  /** Alerts about refused or turned-away deliveries that closed within a day: catching up may still be due. */
  pastAlerts?: readonly ShownAlert[] | undefined
  /** Free room on the ledger's disk; `ledgerPath`: of a ledger in a file. */
  disk: DiskRoom | undefined
  ledgerPath?: string | undefined
  /** Why the ledger rejects writes, if it does. */
  blocked?: WritesBlocked | undefined
  queueOutage: QueueOutage | undefined
  audit: 'whole' | 'altered'
  newest: NewestDelivery | undefined
  /** Time of the newest delivery refused for its token; read only while an alert about refusals is open. */
  lastRefusedAt?: number | undefined
  /** Deliveries refused within a day for the reason of that alert, as `pawl status` and the page of rejections count them; read likewise. */
  refusedInDay?: number | undefined
  /** Milliseconds since the last run of any handler ended; read only while an alert about due work is open. */
  lastRunAgoMs?: number | undefined
  /** Times of the reconciles, and the moments that they reached back to; read likewise, and after a start that paused all work. */
  reconciles?: readonly { at: number; since: number }[] | undefined
  /** When a person last recorded that no new case is missing, and the resources read by id; read likewise. */
  noneMissingAt?: number | undefined
  readById?: readonly { at: number; count: number }[] | undefined
  /** Time of the first refusal of an open alert. */
  firstRefusedAt?: number | undefined
  /** Milliseconds by which this machine's clock is ahead of the service's, negative if behind. */
  clockAheadMs?: number | undefined
  /** Milliseconds since this process started. */
  runningMs?: number | undefined
  now: number
}
