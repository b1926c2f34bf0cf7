import { AsyncLocalStorage } from 'node:async_hooks'
import { Socket } from 'node:net'
import { NotRehearsable } from '@pawl/connector/not-rehearsable'

/** Blocks network access that bypasses the handlers' ports. */
export interface NetworkGuard {
  /** Runs it, and everything it starts, without network; `onRefused` is called for each attempt. */
  without<T>(this: void, onRefused: () => void, run: () => Promise<T>): Promise<T>
  /** Within `without`: runs it with network. */
  allow<T>(this: void, run: () => Promise<T>): Promise<T>
  /** Removes the guards. */
  remove(this: void): void
}

const refusal = () => new NotRehearsable('A rehearsal sends nothing.')

/** Guards `fetch` and every socket of this process. */
export function guardNetwork(): NetworkGuard {
  const runs = new AsyncLocalStorage<{ onRefused: () => void } | undefined>()
  // eslint-disable-next-line typescript/unbound-method -- it is called with the socket that it was called on
  const { connect } = Socket.prototype
  const { fetch } = globalThis

  function connectUnlessRefused(this: Socket, ...args: unknown[]): Socket {
    const run = runs.getStore()
    // The arguments match one of its overloads.
    if (run === undefined) return connect.apply(this, args as unknown as Parameters<typeof connect>)
    run.onRefused()
    return this.destroy(refusal())
  }
  Socket.prototype.connect = connectUnlessRefused
  // An open connection would be reused.
  globalThis.fetch = async (...args) => {
    const run = runs.getStore()
    if (run === undefined) return fetch(...args)
    run.onRefused()
    throw refusal()
  }

  return {
    without: (onRefused, run) => runs.run({ onRefused }, run),
    allow: (run) => runs.run(undefined, run),
    remove() {
      Socket.prototype.connect = connect
      globalThis.fetch = fetch
      // Otherwise every promise of the process takes three times as long from then on.
      runs.disable()
    },
  }
}
