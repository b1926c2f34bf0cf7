import { answerCalls, type Caller, type End } from '@pawl/base/threads/calls'
import type { Ledger } from '../ledger.ts'
import { errorCodec } from './error-codec.ts'

/** The other end of a port, and the methods it serves. */
export interface Remote {
  caller: Caller
  names: readonly string[]
}

/** Serves calls from a port with a ledger or its views; returns the names of the methods. */
export function serveLedger(port: End, ledger: object): string[] {
  const methods = { ...ledger }
  answerCalls(port, methods, errorCodec)
  return Object.keys(methods)
}

/** A ledger served by two threads; methods known to both go to the thread of the views. */
export function reachLedger(ledger: Remote, views: Remote): Ledger {
  // All methods of a ledger: the first remote serves them.
  return { ...reach(ledger), ...reach(views) } as object as Ledger
}

type OneWay = { [Name in keyof Ledger]: ReturnType<Ledger[Name]> extends void ? Name : never }[keyof Ledger]

/** Fire-and-forget methods: the caller continues at once, and does not see failures. */
const oneWay: Readonly<Record<OneWay, true>> = { reject: true }

type Method = (...args: readonly unknown[]) => unknown

function reach({ caller: { call }, names }: Remote): Record<string, Method> {
  const methodOf = (name: string): Method =>
    name in oneWay ? (...args) => void call(name, ...args).catch(() => undefined) : (...args) => call(name, ...args)
  return Object.fromEntries(names.map((name) => [name, methodOf(name)]))
}
