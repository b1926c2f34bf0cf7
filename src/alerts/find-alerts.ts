import type { Clock } from '../base/clock.ts'
import type { FoundAlert } from '../ledger/alerts/alert-records.ts'
import { isAuditAltered } from './audit-altered.ts'
import { createLasting } from './lasting.ts'
import { readBackupAge } from './read-backup-age.ts'
import { findFailedWork } from './find-failed-work.ts'
import type { AuditTrail } from '../ledger/audit/create-audit-trail.ts'
import type { HoldBook } from '../ledger/hot/create-hold-book.ts'
import type { Upkeep } from '../ledger/upkeep/create-upkeep.ts'
import type { Views } from '../ledger/views/create-views.ts'

/** From where on something is wrong. */
export interface AlertLimits {
  oldestDueMs: number
  awayMs: number
  /** For how long something may be paused. */
  pausedMs: number
  /** Deliveries refused within an hour for one reason of their token, or turned away within two minutes. */
  refusedPerHour: number
  budgetPercent: number
  /** The path of a backup, or of the folder with the backups, and how old the newest may be. */
  backup: { path: string; maxAgeMs: number } | undefined
}

/** What was left of a rate limit when the service last told of it. */
export interface BudgetReading {
  policy: string
  quota: number | undefined
  remaining: number
  /** For how long it had to last then. */
  resetMs: number | undefined
  agoMs: number
}

export interface FindAlertsDeps {
  ledger: Pick<Views, 'workGroups' | 'counts' | 'refused' | 'alertTargets'> &
    Pick<HoldBook, 'holds'> &
    Pick<Upkeep, 'purgedAgo'> &
    Pick<AuditTrail, 'auditState'>
  limits: AlertLimits
  /** Attempts of a handler before its work is parked. */
  maxAttempts: number
  /** The systems that are away, and for how long this process has found them so. */
  readAway: () => readonly { system: string; forMs?: number; error?: { code: string; message: string } }[]
  /** For how long, and why, this process does not reach the server of its queue, where it does not. */
  readQueueOutage: () => { forMs: number; code: string } | undefined
  readBudgets: () => readonly BudgetReading[]
  /** Deliveries that this process answered 503 a moment ago, by why. */
  readTurnedAway: () => readonly { code: string; count: number }[]
  /** The names of the targets that alerts are sent to. */
  targetNames: readonly string[]
  /** Time between two looks, in milliseconds. */
  intervalMs: number
  clock: Clock
  elapsed: () => number
}

const hourMs = 3_600_000
/** Old contents are deleted every hour: for longer than a day they should never wait. */
const retentionMs = 24 * hourMs
/** A clock that was set makes the last time look old; the next hourly round shows that it is not. */
const retentionPatienceMs = 65 * 60_000
/** Where the service does not say when a limit begins anew. */
const assumedResetMs = 60_000
/** Attempts that fail in a row before a target of alerts counts as dead. */
export const deadAfterFailures = 3

/** Makes what looks at all that an alert may be about. Rejects where the ledger cannot say. */
export function createFindAlerts(deps: FindAlertsDeps): () => Promise<FoundAlert[]> {
  const {
    ledger,
    limits,
    maxAttempts,
    readAway,
    readQueueOutage,
    readBudgets,
    readTurnedAway,
    targetNames,
    intervalMs,
    clock,
    elapsed,
  } = deps
  const lasting = createLasting(elapsed)

  async function findOldestDue(): Promise<FoundAlert[]> {
    const { oldestDueMs } = await ledger.counts()
    // Work that came due late because the clock was set is done before the second look.
    const opens = lasting('oldest_due', oldestDueMs > limits.oldestDueMs, 2 * intervalMs)
    if (!opens && oldestDueMs <= limits.oldestDueMs / 2) return []
    return [{ kind: 'oldest_due', subject: '', level: 0, count: Math.floor(oldestDueMs / 60_000), opens }]
  }

  async function findRefused(): Promise<FoundAlert[]> {
    const refused = await ledger.refused(hourMs)
    return refused
      .filter(({ reason, count }) => isOfToken(reason) && count > limits.refusedPerHour / 2)
      .map(({ reason, count }) => {
        const opens = count >= limits.refusedPerHour
        return { kind: 'refused', subject: reason, level: 0, count, opens, tellsGrowth: true }
      })
  }

  function findAway(): FoundAlert[] {
    return readAway().map(({ system, forMs = 0, error }) => {
      const opens = forMs >= limits.awayMs
      return { kind: 'away', subject: system, level: 0, count: 1, detail: error && errorWords(error), forMs, opens }
    })
  }

  async function findPaused(): Promise<FoundAlert[]> {
    const holds = await ledger.holds()
    return holds.map(({ kind, name, forMs }) => {
      const opens = forMs >= limits.pausedMs
      return { kind: 'paused', subject: `${kind} ${name}`, level: 0, count: Math.floor(forMs / hourMs), forMs, opens }
    })
  }

  function findQueueOutage(): FoundAlert[] {
    const outage = readQueueOutage()
    if (outage === undefined) return []
    const { forMs, code } = outage
    return [{ kind: 'queue', subject: '', level: 0, count: 1, detail: code, forMs, opens: forMs >= limits.awayMs }]
  }

  async function findAuditBreak(): Promise<FoundAlert[]> {
    return (await isAuditAltered(ledger)) ? [{ kind: 'audit', subject: '', level: 0, count: 1, opens: true }] : []
  }

  /** One or the other is no matter, as the service sends it again; a disk that is full stays so. */
  function findTurnedAway(): FoundAlert[] {
    return readTurnedAway().map(({ code, count }) => {
      const opens = code === 'disk_full' || count >= limits.refusedPerHour
      return { kind: 'turned_away', subject: code, level: 0, count, opens, tellsGrowth: true }
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
    // Hours; none where there is no backup at all.
    const count = ageMs === undefined ? 0 : Math.floor(ageMs / hourMs)
    return [{ kind: 'backup', subject: '', level: 0, count, opens: true }]
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
    ...findTurnedAway(),
    ...findAway(),
    ...(await findPaused()),
    ...findQueueOutage(),
    ...(await findAuditBreak()),
    ...findBudgets(),
    ...(await findRetention()),
    ...(await findBackup()),
    ...(await findDeadTargets()),
  ]
}

/** The code of an error, and the status of the answer, where its message has one. */
function errorWords({ code, message }: { code: string; message: string }): string {
  const [, inWords, inParentheses] = /HTTP ([45]\d\d)\b|\(([45]\d\d)\)/.exec(message) ?? []
  const status = inWords ?? inParentheses
  return status === undefined ? code : `${code} ${status}`
}

/** Whether a delivery was refused because nobody could verify it. */
function isOfToken(reason: string): boolean {
  return reason.startsWith('token_') || reason === 'body_digest_mismatch'
}
