import type { Ledger } from '../ledger.ts'
import { answerCalls, type Caller, type End } from './calls.ts'
import { errorCodec } from './error-codec.ts'

/** The other end of a port, and the methods that it answers for. */
export interface Remote {
  caller: Caller
  names: readonly string[]
}

/** Has a ledger, or its views, answer calls that come through a port; returns the names of the methods. */
export function serveLedger(port: End, ledger: object): string[] {
  const methods = { ...ledger }
  answerCalls(port, methods, errorCodec)
  return Object.keys(methods)
}

/** The ledger whose methods two threads answer for; those that both know go to the thread of the views. */
export function reachLedger(ledger: Remote, views: Remote): Ledger {
  // All methods of a ledger: that is what the first of them serves.
  return { ...reach(ledger), ...reach(views) } as object as Ledger
}

type Told = { [Name in keyof Ledger]: ReturnType<Ledger[Name]> extends void ? Name : never }[keyof Ledger]

/** Methods without an answer: the caller goes on at once, and a failure is not its own. */
const told: Readonly<Record<Told, true>> = { reject: true, noteDrift: true }

type Method = (...args: readonly unknown[]) => unknown

function reach({ caller: { call }, names }: Remote): Record<string, Method> {
  const methodOf = (name: string): Method =>
    name in told ? (...args) => void call(name, ...args).catch(() => undefined) : (...args) => call(name, ...args)
  return Object.fromEntries(names.map((name) => [name, methodOf(name)]))
}
