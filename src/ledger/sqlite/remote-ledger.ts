import type { Ledger } from '../ledger.ts'
import { viewNames, type Views } from '../views/create-views.ts'
import { answerCalls, type Caller, type End } from './calls.ts'
import { errorCodec } from './error-codec.ts'
import type { ClaimToken } from '../hot/claims.ts'

/** Has a ledger, or views, answer calls that come through a port. */
export function serveLedger(port: End, ledger: Views & Pick<Ledger, 'close'>): void {
  answerCalls(port, { ...ledger }, errorCodec)
}

const names: ReadonlySet<string> = new Set(viewNames)

/** The ledger whose methods a caller reaches, with its views behind another. */
export function reachLedger({ call: callLedger }: Caller, views: Caller): Ledger {
  const call = (name: keyof Ledger, ...args: readonly unknown[]) =>
    names.has(name) ? views.call(name, ...args) : callLedger(name, ...args)
  /** A method of the ledger, by its name. */
  const ask = <Name extends keyof Ledger>(name: Name): Ledger[Name] =>
    // What answers has the same type.
    ((...args: readonly unknown[]) => call(name, ...args)) as Ledger[Name]
  /** The same, of a claim: only what proves it needs to travel, not what it holds. */
  const askHeld = <Name extends keyof Ledger>(name: Name): Ledger[Name] =>
    // As above.
    (({ resourceId, owner, newestEventId, retries }: ClaimToken, ...args: readonly unknown[]) =>
      call(name, { resourceId, owner, newestEventId, retries }, ...args)) as Ledger[Name]

  return {
    accept: ask('accept'),
    // Nobody waits for it.
    reject: (rejection) => void call('reject', rejection).catch(() => undefined),
    due: ask('due'),
    wakeParked: ask('wakeParked'),
    nextDueIn: ask('nextDueIn'),
    followClock: ask('followClock'),
    claim: ask('claim'),
    renew: askHeld('renew'),
    record: askHeld('record'),
    release: askHeld('release'),
    bodies: ask('bodies'),
    effect: ask('effect'),
    beginEffect: ask('beginEffect'),
    forgetBegun: ask('forgetBegun'),
    recordEffect: ask('recordEffect'),
    readMemory: ask('readMemory'),
    writeMemory: askHeld('writeMemory'),
    takeShared: askHeld('takeShared'),
    forgetMemory: ask('forgetMemory'),
    leftOut: ask('leftOut'),
    findLeftOut: ask('findLeftOut'),
    forgetLeftOut: ask('forgetLeftOut'),
    noteOwnChange: ask('noteOwnChange'),
    forgetOwnChange: ask('forgetOwnChange'),
    claimPolls: ask('claimPolls'),
    nextPollIn: ask('nextPollIn'),
    recordPoll: ask('recordPoll'),
    pollSoon: ask('pollSoon'),
    workGroups: ask('workGroups'),
    work: ask('work'),
    dueWork: ask('dueWork'),
    retryWork: ask('retryWork'),
    retrySome: ask('retrySome'),
    listEvents: ask('listEvents'),
    listResources: ask('listResources'),
    listRejections: ask('listRejections'),
    listOutcomes: ask('listOutcomes'),
    longestFailing: ask('longestFailing'),
    lastRuns: ask('lastRuns'),
    refused: ask('refused'),
    waitingForPeople: ask('waitingForPeople'),
    // As above.
    noteDrift: (sightings) => void call('noteDrift', sightings).catch(() => undefined),
    drift: ask('drift'),
    newDrift: ask('newDrift'),
    outages: ask('outages'),
    noteOutage: ask('noteOutage'),
    holds: ask('holds'),
    hold: ask('hold'),
    liftHold: ask('liftHold'),
    freeUnheld: ask('freeUnheld'),
    letThrough: ask('letThrough'),
    isLetThrough: ask('isLetThrough'),
    dueLetThrough: ask('dueLetThrough'),
    purge: ask('purge'),
    resource: ask('resource'),
    history: ask('history'),
    find: ask('find'),
    counts: ask('counts'),
    discard: ask('discard'),
    findPatient: ask('findPatient'),
    erase: ask('erase'),
    eraseEvents: ask('eraseEvents'),
    reseal: ask('reseal'),
    wipe: ask('wipe'),
    purgedAgo: ask('purgedAgo'),
    openAlerts: ask('openAlerts'),
    listAlerts: ask('listAlerts'),
    noteAlerts: ask('noteAlerts'),
    alertTargets: ask('alertTargets'),
    takeAlertTurn: ask('takeAlertTurn'),
    endAlertTurn: ask('endAlertTurn'),
    audit: ask('audit'),
    readAudit: ask('readAudit'),
    listAudit: ask('listAudit'),
    reveal: ask('reveal'),
    verifyAudit: ask('verifyAudit'),
    digestKey: ask('digestKey'),
    auditState: ask('auditState'),
    close: ask('close'),
  }
}
