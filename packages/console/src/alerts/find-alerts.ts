import type { Clock } from '@pawl/base/clock'
import type { AlertRecord, AlertTargetName, FoundAlert } from '@pawl/ledger/alerts/alert-records'
import { reasonOf } from '../faults/reasons.ts'
import { isAcceptedAgain, isReasonGone } from '../verdict/mended.ts'
import { alertOfAbsence, keyOfAbsence } from './alert-of-absence.ts'
import { isAuditAltered } from './audit-altered.ts'
import { createLasting } from './lasting.ts'
import { readBackupAge } from './read-backup-age.ts'
import { findFailedWork } from './find-failed-work.ts'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import type { Pauses } from '@pawl/ledger/upkeep/create-pauses'
import { type Away, refusalOf } from '@pawl/ledger/away'
import type { Upkeep } from '@pawl/ledger/upkeep/create-upkeep'
import type { ReadDiskRoom } from '@pawl/ledger/upkeep/disk-room'
import type { WritesBlocked } from '@pawl/ledger/upkeep/watch-writes'
import type { AlertViews } from '@pawl/ledger/alerts/alert-targets'
import type { CountViews } from '@pawl/ledger/views/counts'
import type { Refused } from '@pawl/ledger/views/refused'
import type { FeedViews } from '@pawl/ledger/feed/read-feed'
import type { WorkViews } from '@pawl/ledger/views/read-work'
import type { LimitReading } from 'pawl-client/schemas/rate-policies'

/** Thresholds of the alerts. */
export interface AlertLimits {
  oldestDueMs: number
  awayMs: number
  /** Maximum length of a pause. */
  pausedMs: number
  /** Maximum time in which a pharmacy acknowledges a notice of the feed; 0: any. */
  unacknowledgedMs: number
  /** Deliveries refused within an hour for one token fault, or turned away within two minutes. */
  refusedPerHour: number
  budgetPercent: number
  /** Time between two messages with the head of the audit trail; 0: none. */
  auditHeadMs: number
  /** Path of a backup file or folder, and maximum age of the newest. */
  backup: { path: string; maxAgeMs: number } | undefined
}

export interface FindAlertsDeps {
  ledger: Pick<WorkViews, 'workGroups'> &
    Pick<CountViews, 'counts' | 'refused' | 'newestDelivery'> &
    Pick<AlertViews, 'alertTargets' | 'openAlerts' | 'listAlerts'> &
    Pick<FeedViews, 'unacknowledged'> &
    Pick<Pauses, 'pauses'> &
    Pick<Upkeep, 'purgedAgo'> &
    Pick<AuditTrail, 'auditState'>
  limits: AlertLimits
  /** Maximum attempts before work is parked. */
  maxAttempts: number
  /** The systems that are away or refuse a kind of request, and for how long in this process. */
  readAway: () => readonly Away[]
  /** The outage of the queue's server as seen by this process, if any. */
  readQueueOutage: () => { forMs: number; code: string } | undefined
  readBudgets: () => readonly LimitReading[]
  /** Deliveries that this process recently answered with 503, by reason. */
  readTurnedAway: () => readonly { code: string; count: number; forMs: number; lastAgoMs: number }[]
  /** Room on the ledger's disk, if it is one of this machine. */
  readDiskRoom?: ReadDiskRoom | undefined
  /** Why the ledger takes no writes now, if it takes none. */
  readBlocked?: (() => WritesBlocked | undefined) | undefined
  /** The systems that are read back each night. */
  verified: readonly string[]
  /** The names of the targets that alerts are sent to. */
  targetNames: readonly AlertTargetName[]
  /** Time between two rounds, in milliseconds. */
  intervalMs: number
  clock: Clock
  elapsed: () => number
}

const hourMs = 3_600_000
/** Old contents are deleted every hour and should never wait longer than a day. */
const retentionMs = 24 * hourMs
/** A clock change makes the last deletion look old; the next hourly one corrects that. */
const retentionPatienceMs = 65 * 60_000
/** Assumed if the service does not state the reset of a limit. */
const assumedResetMs = 60_000
/** Newest alerts among which those about refusals of the last hour are looked for. */
const recentAlerts = 50
/** Longer than a process counts a delivery that it turned away. */
const lockNoticeMs = 180_000
/** Consecutive failures after which a target counts as dead. */
export const deadAfterFailures = 3

/** Makes a function that finds all alert conditions. It rejects if the ledger does not answer. */
export function createFindAlerts(deps: FindAlertsDeps): () => Promise<FoundAlert[]> {
  const {
    ledger,
    limits,
    maxAttempts,
    readAway,
    readQueueOutage,
    readBudgets,
    readTurnedAway,
    readDiskRoom,
    readBlocked,
    verified,
    targetNames,
    intervalMs,
    clock,
    elapsed,
  } = deps
  const lasting = createLasting(elapsed)
  let headCheckedAt: number | undefined

  async function findOldestDue(): Promise<FoundAlert[]> {
    const { oldestDueMs } = await ledger.counts()
    // Work that came due late through a clock change is done before the second round.
    const opens = lasting('oldest_due', oldestDueMs > limits.oldestDueMs, 2 * intervalMs)
    if (!opens && oldestDueMs <= limits.oldestDueMs / 2) return []
    const count = Math.floor(oldestDueMs / 60_000)
    return [{ kind: 'oldest_due', subject: '', level: 0, count, forMs: oldestDueMs, opens }]
  }

  async function findRefused(): Promise<FoundAlert[]> {
    const many = (await ledger.refused(hourMs)).filter(isManyOfToken)
    if (many.length === 0) return []
    const [newest, alerts, now] = [await ledger.newestDelivery(), await ledger.listAlerts(recentAlerts), clock.now()]
    return (await Promise.all(many.map((each) => sinceMended(each, alerts, now)))).filter(isManyOfToken).map((each) => {
      const { reason, count, firstAt, lastAt } = each
      const isOver = isAcceptedAgain(lastAt, { newest, now })
      const opens = !isOver && count >= limits.refusedPerHour
      const times = { forMs: Math.max(0, now - firstAt), lastAgoMs: Math.max(0, now - lastAt) }
      return { kind: 'refused', subject: reason, level: 0, count, ...times, isOver, opens, tellsGrowth: true }
    })
  }

  function isManyOfToken({ reason, count }: Refused): boolean {
    return isOfToken(reason) && count > limits.refusedPerHour / 2
  }

  /** Refusals before the newest alert about them was over do not open another. */
  async function sinceMended(refused: Refused, alerts: readonly AlertRecord[], now: number): Promise<Refused> {
    const newest = alerts.find(({ kind, subject }) => kind === 'refused' && subject === refused.reason)
    if (newest?.closedAt === undefined || newest.closedAt < refused.firstAt) return refused
    const later = await ledger.refused(Math.max(0, now - newest.closedAt))
    return later.find(({ reason }) => reason === refused.reason) ?? { ...refused, count: 0 }
  }

  /** One alert for each system, and one if it refuses all of pawl: `away` replaces `refuses`. */
  async function findAway(): Promise<FoundAlert[]> {
    const open = await ledger.openAlerts()
    const found = new Map<string, FoundAlert>()
    for (const each of readAway()) {
      const { system, request, forMs = 0, error } = each
      const known = found.get(system)
      if (known?.kind === 'away') continue
      const alert = alertOfAbsence(each, open)
      const { kind, subject } = alert ?? keyOfAbsence(each)
      const others = known?.kind === kind ? known : undefined
      const said = error === undefined ? (others ?? alert) : { ...error, errorCode: reasonOf(error) }
      const isShutOut = request === undefined && refusalOf(error) !== undefined
      const lastsMs = Math.max(forMs, others?.forMs ?? 0)
      found.set(system, {
        kind,
        subject,
        level: 0,
        count: 1 + (others?.count ?? 0),
        errorCode: said?.errorCode,
        httpStatus: said?.httpStatus,
        forMs: lastsMs,
        // An outage that people know of, and that now takes one of them, waits no longer.
        opens: lastsMs >= limits.awayMs || (isShutOut && alertOfAbsence({ system }, open) !== undefined),
      })
    }
    return [...found.values()]
  }

  async function findPaused(): Promise<FoundAlert[]> {
    const pauses = await ledger.pauses()
    return pauses.map(({ kind, name, forMs }) => {
      const opens = forMs >= limits.pausedMs
      return { kind: 'paused', subject: `${kind} ${name}`, level: 0, count: Math.floor(forMs / hourMs), forMs, opens }
    })
  }

  async function findUnacknowledged(): Promise<FoundAlert[]> {
    if (limits.unacknowledgedMs === 0) return []
    const found = await ledger.unacknowledged(limits.unacknowledgedMs)
    return found.map(({ reader, count, resourceId }) => ({
      kind: 'unacknowledged',
      subject: reader,
      level: 0,
      count,
      resourceId,
      opens: true,
    }))
  }

  function findQueueOutage(): FoundAlert[] {
    const outage = readQueueOutage()
    if (outage === undefined) return []
    const { forMs, code } = outage
    return [{ kind: 'queue', subject: '', level: 0, count: 1, errorCode: code, forMs, opens: forMs >= limits.awayMs }]
  }

  async function findAuditBreak(): Promise<FoundAlert[]> {
    return (await isAuditAltered(ledger)) ? [{ kind: 'audit', subject: '', level: 0, count: 1, opens: true }] : []
  }

  /** A few deliveries are harmless, since the service sends them again; a full disk or a forgotten lock persists. */
  async function findTurnedAway(): Promise<FoundAlert[]> {
    const turnedAway = readTurnedAway()
    if (turnedAway.length === 0) return []
    const facts = { disk: await readDiskRoom?.(), blocked: readBlocked?.() }
    return turnedAway.map(({ code, ...counted }) => {
      const isOver = isReasonGone(code, facts)
      const opens =
        !isOver && (code === 'disk_full' || code === 'ledger_locked' || counted.count >= limits.refusedPerHour)
      // A ledger that takes no writes takes no alert either.
      const notice = isOver && code === 'ledger_locked' ? { opens: true, noticeEveryMs: lockNoticeMs } : { opens }
      return { kind: 'turned_away', subject: code, level: 0, ...counted, isOver, tellsGrowth: true, ...notice }
    })
  }

  function findBudgets(): FoundAlert[] {
    const left = new Map<string, number>()
    for (const { policy, quota, remaining, resetMs = assumedResetMs, agoMs } of readBudgets()) {
      if (quota === undefined || quota === 0 || agoMs > resetMs) continue
      const percent = Math.floor((remaining * 100) / quota)
      left.set(policy, Math.min(percent, left.get(policy) ?? 100))
    }
    return [...left]
      .filter(([, percent]) => percent <= 2 * limits.budgetPercent)
      .map(([policy, percent]) => {
        const opens = percent <= limits.budgetPercent
        return { kind: 'budget', subject: policy, level: 0, count: percent, opens }
      })
  }

  async function findRetention(): Promise<FoundAlert[]> {
    const agoMs = await ledger.purgedAgo()
    const opens = lasting('retention', agoMs > retentionMs, retentionPatienceMs)
    if (agoMs <= retentionMs) return []
    return [{ kind: 'retention', subject: '', level: 0, count: Math.floor(agoMs / hourMs), opens }]
  }

  async function findBackup(): Promise<FoundAlert[]> {
    if (limits.backup === undefined) return []
    const ageMs = await readBackupAge(limits.backup.path, clock.now())
    if (ageMs !== undefined && ageMs <= limits.backup.maxAgeMs) return []
    // Hours; 0 without a backup.
    const count = ageMs === undefined ? 0 : Math.floor(ageMs / hourMs)
    return [{ kind: 'backup', subject: '', level: 0, count, opens: true }]
  }

  /** The night's reading opens and ends it: in between it stays open. */
  async function findDiffering(): Promise<FoundAlert[]> {
    if (verified.length === 0) return []
    const open = await ledger.openAlerts()
    return open.flatMap(({ kind, subject, level, count, resourceId }) =>
      kind === 'differs' && verified.includes(subject)
        ? [{ kind, subject, level, count, resourceId, opens: false }]
        : [],
    )
  }

  /** Checks once an hour: the ledger knows when any process last sent a head. */
  async function findAuditHead(): Promise<FoundAlert[]> {
    if (limits.auditHeadMs === 0 || (headCheckedAt !== undefined && elapsed() - headCheckedAt < hourMs)) return []
    const { head, broken } = await ledger.auditState()
    if (head === undefined || broken !== undefined) return []
    headCheckedAt = elapsed()
    const subject = `${head.id}:${head.hash}`
    return [{ kind: 'audit_head', subject, level: 0, count: head.id, opens: true, noticeEveryMs: limits.auditHeadMs }]
  }

  async function findDeadTargets(): Promise<FoundAlert[]> {
    const targets = await ledger.alertTargets(targetNames)
    return targets
      .filter(({ failures }) => failures > 0)
      .map(({ name, failures }) => {
        const opens = failures >= deadAfterFailures
        return { kind: 'target', subject: name, level: 0, count: failures, opens }
      })
  }

  return async () => [
    ...(await findFailedWork(ledger, maxAttempts)),
    ...(await findOldestDue()),
    ...(await findRefused()),
    ...(await findTurnedAway()),
    ...(await findAway()),
    ...(await findPaused()),
    ...(await findUnacknowledged()),
    ...findQueueOutage(),
    ...(await findAuditBreak()),
    ...findBudgets(),
    ...(await findRetention()),
    ...(await findBackup()),
    ...(await findDiffering()),
    ...(await findAuditHead()),
    ...(await findDeadTargets()),
  ]
}

/** Whether a delivery was refused because its token failed verification. */
function isOfToken(reason: string): boolean {
  return reason.startsWith('token_') || reason === 'body_digest_mismatch'
}
