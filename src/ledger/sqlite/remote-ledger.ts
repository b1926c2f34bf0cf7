import type { Hold, Ledger } from '../ledger.ts'
import { answerCalls, type Caller, type End } from './calls.ts'
import type { Store } from '../open-ledger.ts'
import { translation } from './error-codec.ts'

/** Has the store answer calls that come through a port. */
export function serveStore(port: End, { ledger, take }: Store): void {
  answerCalls(port, { ...ledger, take }, translation)
}

/** The store whose methods a caller reaches. */
export function reachStore({ call }: Caller): Store {
  /** A method of the ledger, by its name. */
  const ask = <Name extends keyof Ledger>(name: Name): Ledger[Name] =>
    // What answers has the same type.
    ((...args: readonly unknown[]) => call(name, ...args)) as Ledger[Name]
  /** The same, of a claim: only what proves it needs to travel, not what it holds. */
  const askHeld = <Name extends keyof Ledger>(name: Name): Ledger[Name] =>
    // As above.
    (({ resourceId, owner, newestEventId, parked }: Hold, ...args: readonly unknown[]) =>
      call(name, { resourceId, owner, newestEventId, parked }, ...args)) as Ledger[Name]

  const ledger: Ledger = {
    accept: ask('accept'),
    // Nobody waits for it.
    reject: (rejection) => void call('reject', rejection).catch(() => undefined),
    due: ask('due'),
    nextDueIn: ask('nextDueIn'),
    followClock: ask('followClock'),
    claim: ask('claim'),
    renew: askHeld('renew'),
    record: askHeld('record'),
    release: askHeld('release'),
    bodies: ask('bodies'),
    isEffectDone: ask('isEffectDone'),
    recordEffect: ask('recordEffect'),
    pollable: ask('pollable'),
    pollSoon: ask('pollSoon'),
    notePoll: ask('notePoll'),
    parked: ask('parked'),
    releaseParked: ask('releaseParked'),
    outages: ask('outages'),
    noteOutage: ask('noteOutage'),
    purge: ask('purge'),
    resource: ask('resource'),
    counts: ask('counts'),
    close: ask('close'),
  }
  // As above.
  return { ledger, take: (body) => call('take', body) as ReturnType<Store['take']> }
}
