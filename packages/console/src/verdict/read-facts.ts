import type { Alerts, ShownAlert } from '../alerts/alerts.ts'
import { isAuditAltered } from '../alerts/audit-altered.ts'
import type { AuditRecord } from '@pawl/ledger/audit/audit-entry'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import type { Pauses } from '@pawl/ledger/upkeep/create-pauses'
import type { ReadDiskRoom } from '@pawl/ledger/upkeep/disk-room'
import type { AuditViews } from '@pawl/ledger/audit/read-audit'
import type { CountViews } from '@pawl/ledger/views/counts'
import type { ListViews } from '@pawl/ledger/views/lists'
import type { RunViews } from '@pawl/ledger/views/list-runs'
import type { WorkViews } from '@pawl/ledger/views/read-work'
import type { WritesBlocked } from '@pawl/ledger/upkeep/watch-writes'
import { refusedWithinMs } from '../faults/refusal-checks.ts'
import { isOfDisk } from './deliveries.ts'
import type { Facts, PauseByPerson, QueueOutage } from './facts.ts'
import { pausedAtStart, type Pause } from '@pawl/ledger/hot/pause'
import type { Away } from '@pawl/ledger/away'

export interface FactsDeps {
  ledger: Pick<WorkViews, 'workGroups' | 'waitingCases'> &
    Pick<CountViews, 'newestDelivery' | 'refused'> &
    Pick<ListViews, 'listRejections'> &
    Pick<RunViews, 'lastRuns'> &
    Pick<AuditViews, 'listAudit'> &
    Pick<Pauses, 'pauses'> &
    Pick<AuditTrail, 'auditState'>
  alerts: Pick<Alerts, 'read' | 'list'>
  readAway: () => readonly Away[]
  /** As in `Facts`. */
  handlerNames?: Facts['handlerNames']
  isStartPausedSet?: boolean | undefined
  credentials?: Facts['credentials'] | undefined
  /** The path of a ledger in a file. */
  ledgerPath?: string | undefined
  /** Room on the ledger's disk, if it is one of this machine. */
  readDiskRoom?: ReadDiskRoom | undefined
  /** Why the ledger takes no writes now, if it takes none. */
  readBlocked?: (() => WritesBlocked | undefined) | undefined
  /** Duration and reason of an outage of the queue's server, if any. */
  readQueueOutage?: (() => QueueOutage | undefined) | undefined
  /** As in `Facts`. */
  readClockAhead?: (() => number | undefined) | undefined
  now?: (() => number) | undefined
}

/** Newest acts of people to search: a later reconcile must not hide one that reached further back. */
const actsRead = 500

/** The reconciles, the newest record that no case is missing, and the resources read by id. */
async function readReconciles(
  ledger: Pick<AuditViews, 'listAudit'>,
): Promise<Pick<Facts, 'reconciles' | 'noneMissingAt' | 'readById'>> {
  const asked = await ledger.listAudit({ action: 'resource.reconcile' }, actsRead)
  const named = asked.flatMap(({ at, details: { resources } }) =>
    Array.isArray(resources) ? [{ at, count: resources.length }] : [],
  )
  return {
    reconciles: asked.flatMap(({ at, details: { since } }) =>
      typeof since === 'string' ? [{ at, since: Date.parse(since) }] : [],
    ),
    noneMissingAt: named.find(({ count }) => count === 0)?.at,
    readById: named,
  }
}

/** The newest refusals since an hour before their alert opened. */
async function readRefusals(
  ledger: Pick<ListViews, 'listRejections'> & Pick<CountViews, 'refused'>,
  { subject, beganAt }: ShownAlert,
): Promise<Pick<Facts, 'firstRefusedAt' | 'lastRefusedAt' | 'refusedInDay'>> {
  const refusals = await ledger.listRejections({ reason: subject, since: beganAt - hourMs }, 500)
  const inDay = (await ledger.refused(refusedWithinMs)).find(({ reason }) => reason === subject)
  return { firstRefusedAt: refusals.at(-1)?.at, lastRefusedAt: refusals[0]?.at, refusedInDay: inDay?.count }
}

const hourMs = 3_600_000
const dayMs = 86_400_000
/** Newest alerts to search for those of the last day. */
const pastAlerts = 50

/** Refusals of tokens that the service may have signed: a missing token is not the service's. */
const ofService: ReadonlySet<string> = new Set(['token_invalid', 'token_expired'])

/** Whether deliveries of the service itself were missed. */
function isOfService(alert: ShownAlert): boolean {
  return isOfDisk(alert) || (alert.kind === 'refused' && ofService.has(alert.subject))
}

/** Whether an alert is about deliveries that may have to be asked for. */
function isMissed(alert: ShownAlert): boolean {
  return isOfDisk(alert) || alert.kind === 'refused'
}

/** The newest delivery in the ledger when a start paused all work. */
function newestOf({ details }: AuditRecord): number | undefined {
  return typeof details.newest_delivery === 'string' ? Date.parse(details.newest_delivery) : undefined
}

/** Pauses with the people who made them, if among the newest entries of the trail. */
function withPeople(pauses: readonly Pause[], records: readonly AuditRecord[]): PauseByPerson[] {
  return pauses.map((pause) => {
    if (pause.reason === pausedAtStart) return pause
    const record = records.find(
      ({ at, handler = '', details }) =>
        at >= pause.since && details.paused === pause.kind && pause.name === (details.system ?? handler),
    )
    return { ...pause, by: record?.actor.name }
  })
}

/** Makes the reader of the facts for a verdict; the caller passes the counts. */
export function createReadFacts(deps: FactsDeps): (counts: Facts['counts']) => Promise<Facts> {
  const {
    ledger,
    alerts,
    readAway,
    readDiskRoom,
    readBlocked,
    readQueueOutage,
    handlerNames,
    isStartPausedSet,
    credentials,
    ledgerPath,
    readClockAhead,
    now = Date.now,
  } = deps
  async function readLastRun(open: readonly ShownAlert[]): Promise<number | undefined> {
    if (!open.some(({ kind }) => kind === 'oldest_due')) return undefined
    const runs = await ledger.lastRuns()
    return runs.length === 0 ? undefined : Math.min(...runs.map(({ agoMs }) => agoMs))
  }

  return async (counts) => {
    const { open } = await alerts.read()
    const refused = open.find(({ kind }) => kind === 'refused')
    const past = (await alerts.list(pastAlerts)).filter(
      (alert) => isMissed(alert) && (alert.closedAt ?? 0) >= now() - (isOfService(alert) ? dayMs : hourMs),
    )
    const isBehind = past.length > 0 || open.some(({ kind }) => kind === 'refused' || kind === 'turned_away')
    // The newest first.
    const records = await ledger.listAudit({ action: 'work.pause' }, 20)
    const start = records.find(({ at, reason }) => reason === pausedAtStart && at >= now() - dayMs)
    return {
      counts,
      away: readAway(),
      pauses: withPeople(await ledger.pauses(), records),
      isStartPausedSet: isStartPausedSet ?? false,
      pausedStart: start && { at: start.at, newestAt: newestOf(start) },
      credentials: credentials ?? {},
      handlerNames,
      groups: await ledger.workGroups(),
      waitingCases: await ledger.waitingCases(),
      alerts: open,
      pastAlerts: past,
      disk: await readDiskRoom?.(),
      ledgerPath,
      blocked: readBlocked?.(),
      queueOutage: readQueueOutage?.(),
      audit: (await isAuditAltered(ledger)) ? 'altered' : 'whole',
      newest: await ledger.newestDelivery(),
      ...(refused === undefined ? {} : await readRefusals(ledger, refused)),
      lastRunAgoMs: await readLastRun(open),
      ...(isBehind || start !== undefined ? await readReconciles(ledger) : {}),
      clockAheadMs: readClockAhead?.(),
      runningMs: process.uptime() * 1_000,
      now: now(),
    }
  }
}
